import { canonicalBytes, type Issuer, isUpdatedAt } from '@passport-registry/verifier';
import { parseStrictJson } from '@passport-registry/verifier/internal';
import type { ListDiff } from '../../list/list-diff.js';
import type { SignedList } from '../../list/signed-list.js';
import { uuidOf } from './uuid.js';

/** A status or tier that is another than in the list before. */
export interface Change {
  /** The `updated_at` of the list in which it first stood. */
  readonly updated_at: string;
  readonly issuer_id: string;
  readonly field: 'status' | 'tier';
  /** Null for an issuer that was not in the list before. */
  readonly from: string | null;
  /** Null for an issuer that is no longer in the list. */
  readonly to: string | null;
}

/** The changes of status and tier since a registry was first published: what /changes.json says. */
export interface Changes {
  /** Newest first. */
  readonly changes: readonly Change[];
  /** The name of the feed, for ever: a URN. */
  readonly feed: string;
  /** The `updated_at` of the first list that was looked at; what changed before is not known. */
  readonly since: string;
}

/** A registry that takes in thousands of issuers at once must not keep every reader busy for ever. */
const MAX_CHANGES = 1000;

/**
 * The changes up to a list: those that are known, and what is new in it. A changes.json that is damaged or not there
 * begins anew.
 *
 * @param signed - its root key names a feed that begins
 * @param held - the bytes of the published changes.json
 * @param diff - undefined where nothing is published that is rightly signed
 */
export function changesUpTo(
  { list: { updatedAt }, rootKey }: SignedList,
  held: Uint8Array | undefined,
  diff: ListDiff | undefined,
): Changes {
  const known = (held && parseChanges(held)) ?? {
    changes: [],
    feed: uuidOf(`changes of the registry of ${rootKey.thumbprint}`),
    since: updatedAt,
  };
  if (diff === undefined) return known;
  // A build that was killed may have written down what it did not come to publish.
  const earlier = known.changes.filter(({ updated_at }) => updated_at <= diff.before.updatedAt);
  return { ...known, changes: [...newChanges(diff, updatedAt), ...earlier].slice(0, MAX_CHANGES) };
}

function newChanges({ before, changed, removed }: ListDiff, updated_at: string): Change[] {
  return [...changed.keys(), ...removed].sort().flatMap((issuer_id) => {
    const was = parsed(before.records().get(issuer_id));
    const is = parsed(changed.get(issuer_id));
    // Of an issuer that comes or goes, one line says enough.
    const fields = was && is ? (['status', 'tier'] as const) : (['status'] as const);
    return fields
      .map((field) => ({ updated_at, issuer_id, field, from: was?.[field] ?? null, to: is?.[field] ?? null }))
      .filter(({ from, to }) => from !== to);
  });
}

function parsed(record: Uint8Array | undefined): Issuer | undefined {
  return record && JSON.parse(new TextDecoder().decode(record));
}

/** The bytes of /changes.json. */
export function changesBytes(changes: Changes): Uint8Array {
  return canonicalBytes(changes);
}

/** What a changes.json says; undefined when it is none that a build has written. What it says goes on into the next. */
export function parseChanges(bytes: Uint8Array): Changes | undefined {
  try {
    const held = parseStrictJson(bytes) as Changes;
    const { changes, feed, since } = held;
    const good =
      Object.keys(held).length === 3 &&
      changes.length <= MAX_CHANGES &&
      changes.every(isChange) &&
      /^urn:uuid:[0-9a-f-]{36}$/.test(feed) &&
      isUpdatedAt(since);
    return good ? { changes, feed, since } : undefined;
  } catch {
    return undefined;
  }
}

const isWord = (value: unknown) => typeof value === 'string' && /^[a-z0-9._-]{1,128}$/.test(value);

function isChange(change: Change): boolean {
  const { updated_at, issuer_id, field, from, to } = change;
  const isValue = (value: unknown) => value === null || isWord(value);
  return (
    Object.keys(change).length === 5 &&
    isUpdatedAt(updated_at) &&
    isWord(issuer_id) &&
    (field === 'status' || field === 'tier') &&
    isValue(from) &&
    isValue(to)
  );
}
