import type { Issuer } from '@passport-registry/verifier';
import {
  type Change,
  type Changes,
  canonicalBytes,
  isUpdatedAt,
  MAX_CHANGES,
  parseStrictJson,
} from '@passport-registry/verifier/core';
import type { ListDiff, PublishedList } from '../../list/list-diff.js';

/**
 * Adds the changes of a new list to the published changes.
 *
 * @param updatedAt - the `updated_at` of the new list
 * @param held - the bytes of the published changes.json; undefined before the first list
 * @param diff - undefined for a first list
 */
export function changesUpTo(
  updatedAt: string,
  held: Uint8Array | undefined,
  diff: ListDiff | undefined,
): Changes {
  const previous = (held && parseChanges(held)) ?? { changes: [], since: updatedAt };
  if (diff === undefined) return previous;
  const changes = [...newChanges(diff, updatedAt), ...previous.changes].slice(0, MAX_CHANGES);
  return { ...previous, changes };
}

/** The differences from an earlier list that decide about its changes. */
interface ChangedRecords extends Pick<ListDiff, 'changed' | 'removed'> {
  readonly before: Pick<PublishedList, 'records'>;
}

function newChanges({ before, changed, removed }: ChangedRecords, updated_at: string): Change[] {
  return [...changed.keys(), ...removed].sort().flatMap((issuer_id) => {
    const was = parseRecord(before.records().get(issuer_id));
    const is = parseRecord(changed.get(issuer_id));
    // An issuer that was added or removed needs only one line.
    const fields = was && is ? (['status', 'tier'] as const) : (['status'] as const);
    return fields
      .map((field) => ({ updated_at, issuer_id, field, from: was?.[field] ?? null, to: is?.[field] ?? null }))
      .filter(({ from, to }) => from !== to);
  });
}

function parseRecord(record: Uint8Array | undefined): Issuer | undefined {
  return record && JSON.parse(new TextDecoder().decode(record));
}

/** Describes a change in words. */
export function inWords({ issuer_id, field, from, to }: Change): string {
  if (from === null) return `${issuer_id}: new, ${field} ${to}`;
  if (to === null) return `${issuer_id}: no longer in the list`;
  return `${issuer_id}: ${field} ${from} → ${to}`;
}

/** Returns the bytes of /changes.json. */
export function changesBytes(changes: Changes): Uint8Array {
  return canonicalBytes(changes);
}

/**
 * Parses /changes.json. Returns undefined unless the file has the exact form that a build writes, because the next
 * build copies its content.
 */
export function parseChanges(bytes: Uint8Array): Changes | undefined {
  try {
    const held = parseStrictJson(bytes) as Changes;
    const { changes, since } = held;
    const isValid =
      Object.keys(held).length === 2 &&
      changes.length <= MAX_CHANGES &&
      changes.every(isChange) &&
      isUpdatedAt(since);
    return isValid ? { changes, since } : undefined;
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
