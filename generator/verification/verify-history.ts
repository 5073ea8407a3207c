import {
  canonicalBytes,
  type Issuer,
  type IssuerRegistry,
  isUpdatedAt,
  parseList,
  RegistryError,
  type RootKey,
  verifyList,
} from '@passport-registry/verifier';
import { appliedDelta, type Delta, decodeUtf8, parseStrictJson } from '@passport-registry/verifier/internal';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { type Changes, changesBytes, parseChanges } from '../tree/site/changes.js';
import { failIfAny, type SeenFiles } from './seen-files.js';
import type { RootHistory, SignedList } from './verify-statements.js';

/** Checks of the data about earlier lists: snapshots, deltas and changes. */

const HEX = /^[0-9a-f]{64}$/;

/**
 * Checks that every snapshot is complete, has the hash in its path, and is signed by the root key or an earlier root
 * key.
 *
 * @param paths - the paths of the files in snapshots
 * @returns warnings about snapshots that could not be verified
 */
export async function checkSnapshots(
  files: SeenFiles,
  paths: readonly string[],
  { keys, unknown }: Pick<RootHistory, 'keys' | 'unknown'>,
): Promise<readonly string[]> {
  const problems: string[] = [];
  const warnings: string[] = [];
  const names = new Map<string, Set<string>>();
  for (const path of paths) {
    const [, hash = '', name = ''] = path.split('/');
    const isPart = HEX.test(hash) && path === PATHS.snapshot(hash, name);
    if (!isPart || (name !== PATHS.list && name !== PATHS.signature)) {
      problems.push(`${path} is not part of a snapshot`);
    } else names.set(hash, (names.get(hash) ?? new Set()).add(name));
  }
  for (const [hash, found] of names) {
    const missing = [PATHS.list, PATHS.signature].filter((name) => !found.has(name));
    if (missing.length > 0) {
      problems.push(`the snapshot ${hash} is incomplete: it has no ${missing[0]}`);
      continue;
    }
    const fault = await findSnapshotFault(files, hash, keys);
    if (fault === NOT_SIGNED && unknown !== undefined) {
      warnings.push(
        `the snapshot ${hash} is not verified: the first root key ${unknown}, which is not known, may have signed it`,
      );
    } else if (fault !== undefined) problems.push(`the snapshot ${hash} ${fault}`);
  }
  failIfAny(problems.sort());
  return warnings;
}

const NOT_SIGNED = 'is not signed by the root key or an earlier root key';

async function findSnapshotFault(files: SeenFiles, hash: string, keys: readonly RootKey[]) {
  const list = await files.read(PATHS.snapshot(hash, PATHS.list));
  const signature = await files.read(PATHS.snapshot(hash, PATHS.signature));
  if (list === undefined || signature === undefined) return 'is incomplete';
  if (sha256(list) !== hash) return 'has a list whose hash is not the hash in the path';
  let fault: string | undefined;
  // The newest key signed most snapshots.
  for (const rootKey of [...keys].reverse()) {
    try {
      await verifyList({ list, signature: decodeUtf8(signature), rootKey });
      return undefined;
    } catch (error) {
      if (!(error instanceof RegistryError)) return 'has a signature that is not UTF-8';
      const isUnsigned = error.code === 'ERR_SIGNATURE_INVALID';
      fault = isUnsigned ? (fault ?? NOT_SIGNED) : `is not valid: ${error.message}`;
    }
  }
  return fault;
}

/**
 * Checks that every delta is valid and leads to the list of the tree, directly or through other deltas. The last delta
 * is compared with the list. A delta whose first list is in a snapshot is also applied.
 *
 * @param paths - the paths of the deltas
 */
export async function checkDeltas(
  files: SeenFiles,
  paths: readonly string[],
  { list, registry }: SignedList,
): Promise<void> {
  const problems: string[] = [];
  const found = new Map<string, Delta>();
  for (const path of paths) {
    const bytes = await files.read(path);
    const delta = bytes === undefined ? undefined : parseDelta(bytes);
    if (delta === undefined) problems.push(`${path} is not a delta`);
    else if (path !== PATHS.delta(delta.from))
      problems.push(`${path} is a delta from another list, ${delta.from}`);
    else found.set(delta.from, delta);
  }
  const listHash = sha256(list);
  for (const [from, delta] of found) {
    const path = PATHS.delta(from);
    const fault =
      delta.to === listHash
        ? findLastStepFault(delta, registry)
        : findInnerStepFault(delta, found.get(delta.to));
    if (fault !== undefined) problems.push(`${path} ${fault}`);
    else if (!(await producesItsList(files, delta)))
      problems.push(`${path} does not produce the list that it names`);
  }
  failIfAny(problems.sort());
}

/** Parses a delta. Returns undefined unless the bytes are a valid delta in canonical form. */
function parseDelta(bytes: Uint8Array): Delta | undefined {
  try {
    const delta = parseStrictJson(bytes) as Delta;
    const { from, to, updated_at, issuers, removed } = delta;
    const isValid =
      HEX.test(from) &&
      HEX.test(to) &&
      from !== to &&
      isUpdatedAt(updated_at) &&
      removed.every((id) => typeof id === 'string') &&
      isSorted(removed) &&
      Object.keys(delta).length === 5 &&
      sha256(canonicalBytes(delta)) === sha256(bytes);
    if (!isValid) return undefined;
    // The records of a delta follow the same rules as those of a list.
    const records = parseList(canonicalBytes({ issuers, updated_at })).issuers;
    return isSorted(records.map(({ issuer_id }) => issuer_id)) ? delta : undefined;
  } catch {
    return undefined;
  }
}

function isSorted(ids: readonly string[]): boolean {
  return ids.every((id, index) => index === 0 || (ids[index - 1] as string) < id);
}

function findLastStepFault(delta: Delta, registry: IssuerRegistry): string | undefined {
  if (delta.updated_at !== registry.updated_at)
    return 'leads to the list of the tree, but names another updated_at';
  const byId = new Map(registry.issuers.map((issuer) => [issuer.issuer_id, issuer]));
  const isSameAsListed = (issuer: Issuer) => {
    const listed = byId.get(issuer.issuer_id);
    return listed !== undefined && sha256(canonicalBytes(listed)) === sha256(canonicalBytes(issuer));
  };
  const mismatch =
    delta.issuers.find((issuer) => !isSameAsListed(issuer))?.issuer_id ??
    delta.removed.find((id) => byId.has(id));
  return mismatch === undefined ? undefined : `contradicts the list of the tree about ${mismatch}`;
}

/** The times of the deltas must ascend, so that no deltas form a circle. */
function findInnerStepFault(delta: Delta, next: Delta | undefined): string | undefined {
  if (next === undefined) return `leads to ${delta.to}, from where no delta leads to the list of the tree`;
  return next.updated_at > delta.updated_at ? undefined : 'leads to a list that is not older than the next';
}

/** Whether a delta produces the list that it names. True if no snapshot has the list to which it applies. */
async function producesItsList(files: SeenFiles, delta: Delta): Promise<boolean> {
  const before = await files.read(PATHS.snapshot(delta.from, PATHS.list)).catch(() => undefined);
  if (before === undefined || sha256(before) !== delta.from) return true;
  try {
    return sha256(appliedDelta(parseList(before), delta)) === delta.to;
  } catch {
    // The snapshot is invalid, which its own check reports.
    return true;
  }
}

/** Checks the changes as data and as a feed, and that both agree. */
export async function checkChanges(files: SeenFiles): Promise<void> {
  const data = await files.get(PATHS.changes);
  const feed = await files.get(PATHS.feed);
  const changes = data && parseChanges(data);
  const problems: string[] = [];
  if (data !== undefined && changes === undefined)
    problems.push(`${PATHS.changes} is not in the form that a build writes`);
  if (changes !== undefined && sha256(changesBytes(changes)) !== sha256(data as Uint8Array)) {
    problems.push(`${PATHS.changes} is not in canonical form`);
  }
  if (data === undefined) problems.push(`${PATHS.changes} is missing, but ${PATHS.feed} exists`);
  if (feed === undefined) problems.push(`${PATHS.feed} is missing, but ${PATHS.changes} exists`);
  else if (changes !== undefined) problems.push(...findFeedFaults(feed, changes));
  failIfAny(problems);
}

function findFeedFaults(bytes: Uint8Array, { changes, feed, since }: Changes): string[] {
  let text: string;
  try {
    text = decodeUtf8(bytes);
  } catch {
    return [`${PATHS.feed} is not UTF-8`];
  }
  const shape = parseFeed(text);
  if (shape === undefined) return [`${PATHS.feed} is not an Atom feed`];
  const expected = [`<id>${feed}</id>`, `<updated>${changes[0]?.updated_at ?? since}</updated>`];
  const mismatch = expected.find((part) => !shape.head.includes(part));
  if (mismatch !== undefined)
    return [`${PATHS.feed} does not contain ${mismatch}, which ${PATHS.changes} requires`];
  if (shape.entries > changes.length)
    return [`${PATHS.feed} has entries that ${PATHS.changes} does not have`];
  return [];
}

/** Parses the elements of an Atom feed, and checks that each is closed. Returns undefined for anything else. */
function parseFeed(text: string): { readonly head: string; readonly entries: number } | undefined {
  const open: string[] = [];
  let entries = 0;
  let at = 0;
  for (const { 0: tag, index } of text.matchAll(/<[^<>]*>/g)) {
    if (/[<>]/.test(text.slice(at, index))) return undefined;
    at = index + tag.length;
    const [, closing, name, empty] = /^<(\/?)([a-z]+)(?:\s[^<>]*?)?(\/?)>$/.exec(tag) ?? [];
    if (name === undefined) {
      if (index === 0 && tag.startsWith('<?xml ') && tag.endsWith('?>')) continue;
      return undefined;
    }
    const parent = open.at(-1);
    if (closing === '/') {
      if (open.pop() !== name) return undefined;
      continue;
    }
    if (parent === undefined && (name !== 'feed' || !tag.includes('xmlns="http://www.w3.org/2005/Atom"')))
      return undefined;
    if (parent === undefined && entries > 0) return undefined;
    if (name === 'entry' && parent === 'feed') entries += 1;
    if (empty !== '/') open.push(name);
  }
  if (open.length > 0 || at === 0 || text.slice(at).trim() !== '') return undefined;
  const end = text.indexOf('<entry>');
  return { head: end === -1 ? text : text.slice(0, end), entries };
}
