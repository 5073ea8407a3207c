import { RegistryError } from '@passport-registry/verifier';
import {
  type AnyEntry,
  assertSignedByLog,
  beginLog,
  bundlePath,
  containsHead,
  entryBytes,
  type FirstRoots,
  forEachConcurrent,
  type IndexedEntry,
  isOfOtherType,
  type LogState,
  LogTree,
  type LogWalk,
  leafHash,
  namesLog,
  parseAnyEntry,
  parseBundle,
  parseHead,
  readTileOrBundle,
  type SignedHead,
  TILE_WIDTH,
  tileWidth,
  type WalkedEntry,
  walkLog,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { appendEntries } from '../../generator/log/append.js';
import { EMPTY_LOG } from '../../generator/log/log-files.js';
import { PATHS } from '../../generator/tree/paths.js';
import { CONCURRENCY } from '../../generator/verification/ask-host.js';
import { readStatedLog } from '../../generator/verification/audit-log.js';
import { rejecting } from '../../generator/verification/seen-files.js';
import { folderSource } from '../../generator/verification/tree-source.js';
import { contradiction } from '../hosts/compare-hosts.js';
import type { Candidate } from './candidate.js';
import type { HeldLog } from './held-release.js';
import type { NewRelease } from './new-release.js';

/** The log of a new release. Its entries belong to its head, and the root key has signed their statements. */
export interface DownloadedLog {
  readonly head: SignedHead;
  readonly entries: readonly IndexedEntry[];
  readonly tree: LogTree;
}

/**
 * Downloads the head of the log, and the proof of the publication statement. Neither has been verified.
 *
 * @returns undefined if the registry has no log
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function downloadHead(
  release: NewRelease,
  { heldLog: held }: Candidate,
): Promise<SignedHead | undefined> {
  if (!(await namesLog(release.read(PATHS.publication)))) {
    if (held === undefined) return undefined;
    throw new TreeRejected(
      `${PATHS.publication} names no log, but the log ${held.head.origin} was accepted before`,
    );
  }
  const bytes = await release.fetch(PATHS.logHead);
  if (bytes === undefined) throw invalidHead('is missing');
  const head = parseHead(bytes, invalidHead);
  assertExtends(head, held);
  release.addUnlisted(PATHS.logHead, bytes);
  if ((await release.fetchUnlisted(PATHS.logProof)) === undefined) {
    throw new TreeRejected(`${PATHS.logProof} is missing`);
  }
  return head;
}

const invalidHead = (message: string) => new TreeRejected(`${PATHS.logHead} ${message}`);

/** The number of new entries of the log. The root key has signed the statement of each. */
const MAX_NEW_ENTRIES = 100_000;
/** How many statements are downloaded before they are verified. */
const BATCH = 256;

/**
 * Downloads the statements of new entries. The entries follow from their statements, and the tiles from the entries: neither
 * is downloaded, and the root of the head proves both. So the size of a download does not depend on the size of the log.
 * Only for an entry of an unknown type, which does not follow from its statement, is the bundle downloaded.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function downloadLog(
  release: NewRelease,
  head: SignedHead,
  { folder, options: { trust }, heldLog: held }: Candidate,
): Promise<DownloadedLog> {
  const { roots } = await readStatedLog(folderSource(folder), trust.rootKey);
  const entries = await rejecting(() => downloadEntries(release, { head, roots }, held?.entries ?? []));
  const leaves = entries.map(({ entry }) => entryBytes(entry));
  const tree = new LogTree(leaves.map(leafHash));
  if (!(await tree.isOf(head))) {
    if (held !== undefined && (await contradicts(release, head, held))) {
      throw new TreeRejected(
        contradiction(
          `the log of ${release.sourceName} with ${head.size} entries`,
          `that of this mirror with ${held.head.size} entries`,
        ),
      );
    }
    throw new TreeRejected(
      `the statements of the log of ${release.sourceName} do not belong to ${PATHS.logHead}: they are damaged, or of a second history of the log`,
    );
  }
  for (const [path, file] of appendEntries(EMPTY_LOG, leaves).files) release.addVerified(path, file);
  return { head, entries, tree };
}

/** Refuses a log that cannot contain the log being served, before anything of it is downloaded. */
function assertExtends({ origin, size }: SignedHead, held: HeldLog | undefined): void {
  const before = held?.head;
  if (before !== undefined && origin !== before.origin) {
    throw invalidHead(`is of the log ${origin}, but the log is ${before.origin}`);
  }
  if (before !== undefined && size < before.size) {
    throw invalidHead(`has ${size} entries, but a log with ${before.size} entries was accepted before`);
  }
  const fresh = size - (held?.entries.length ?? 0);
  if (fresh <= MAX_NEW_ENTRIES) return;
  throw new TreeRejected(
    `the log has ${fresh} new entries, but a mirror downloads at most ${MAX_NEW_ENTRIES} at a time`,
  );
}

/**
 * Whether a head surely shows a second history: the key that signed the log being served has signed it, and its log begins
 * otherwise, as its tiles prove. If they prove nothing, or the key is another one, nothing is sure.
 */
async function contradicts(
  release: NewRelease,
  head: SignedHead,
  { head: before, key }: HeldLog,
): Promise<boolean> {
  try {
    await assertSignedByLog(head, key, invalidHead);
    return !(await containsHead(head, before, (path) => release.fetch(path)));
  } catch (error) {
    // Tiles that are missing or damaged, or another key.
    if (error instanceof RegistryError || error instanceof TreeRejected || error instanceof RangeError)
      return false;
    throw error;
  }
}

/** Adds the statements of all entries. Returns the entries. */
async function downloadEntries(
  release: NewRelease,
  { head, roots }: { readonly head: SignedHead; readonly roots: FirstRoots },
  known: readonly IndexedEntry[],
): Promise<IndexedEntry[]> {
  const entries = [...known];
  await release.addAll(
    known.map(({ index, entry }) => ({
      path: PATHS.loggedStatement(index),
      hash: entry.sha256,
      statedIn: 'the log',
    })),
  );
  // Of the entries that were accepted before, only the rotation steps lead to the root key in force.
  const steps = known.map(({ index, entry }) => ({
    entry,
    statement: entry.type === 'rotation' ? release.read(PATHS.loggedStatement(index)) : undefined,
  }));
  let { state } = await walked(beginLog(roots), steps);
  const bundles = new Map<number, readonly Uint8Array[]>();
  while (entries.length < head.size) {
    const first = entries.length;
    const statements = await fetchStatements(release, first, Math.min(first + BATCH, head.size));
    const batch: WalkedEntry[] = [];
    for (const [at, statement] of statements.entries()) {
      const index = first + at;
      const entry = isOfOtherType(statement)
        ? await fetchEntry(release, { index, head }, bundles)
        : undefined;
      batch.push({ statement, entry });
    }
    // Nothing more is downloaded for a statement that the root key has not signed.
    const next = await walked(state, batch);
    state = next.state;
    for (const [at, statement] of statements.entries())
      release.addVerified(PATHS.loggedStatement(first + at), statement);
    entries.push(...next.verified.map(({ index, entry }) => ({ index, entry })));
  }
  return entries;
}

/** Verifies who signed entries, and what. Their order is judged later, when it is clear that this is no second history. */
async function walked(state: LogState, batch: readonly WalkedEntry[]): Promise<LogWalk> {
  const walk = await walkLog(state, batch);
  const problem = walk.problems.find(({ kind }) => kind !== 'order');
  if (problem === undefined) return walk;
  throw new TreeRejected(`entry ${problem.index} of the log: ${problem.message}`);
}

/** @param bundles - the last bundle that was downloaded, by its index */
async function fetchEntry(
  release: NewRelease,
  { index, head }: { readonly index: number; readonly head: SignedHead },
  bundles: Map<number, readonly Uint8Array[]>,
): Promise<AnyEntry> {
  const invalid = (message: string) => new TreeRejected(`the entry ${index} of the log ${message}`);
  const at = Math.floor(index / TILE_WIDTH);
  let bundle = bundles.get(at);
  if (bundle === undefined) {
    const address = { level: 0, index: at, width: tileWidth(0, at, head.size) };
    const bytes = await readTileOrBundle((path) => release.fetch(path), bundlePath, address);
    if (bytes === undefined) throw invalid('is missing');
    bundle = parseBundle(bytes, invalid);
    // Only one stays in memory.
    bundles.clear();
    bundles.set(at, bundle);
  }
  return parseAnyEntry(bundle[index % TILE_WIDTH] ?? new Uint8Array(), invalid);
}

async function fetchStatements(release: NewRelease, first: number, end: number): Promise<Uint8Array[]> {
  const statements: Uint8Array[] = [];
  const indexes = Array.from({ length: end - first }, (_one, at) => first + at);
  await forEachConcurrent(indexes, CONCURRENCY, async (index) => {
    const bytes = await release.fetch(PATHS.loggedStatement(index));
    if (bytes === undefined) throw new TreeRejected(`${PATHS.loggedStatement(index)} is missing`);
    statements[index - first] = bytes;
  });
  return statements;
}
