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
  LogTree,
  type LogWalk,
  leafHash,
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
import { rejecting } from '../../generator/verification/seen-files.js';
import type { HeldLog } from './held-release.js';
import type { NewRelease } from './new-release.js';

/** The head of a log that was downloaded, and the root keys that may have signed its statements. */
interface UnreadLog {
  readonly head: SignedHead;
  readonly roots: FirstRoots;
}

/** The log of a new release. Its entries belong to its head, and the root key has signed their statements. */
export interface DownloadedLog {
  readonly head: SignedHead;
  readonly entries: readonly IndexedEntry[];
  readonly tree: LogTree;
}

/**
 * Downloads the newest head of the log, whose signatures have not been verified.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function downloadHead(release: NewRelease, held: HeldLog | undefined): Promise<SignedHead> {
  const bytes = await release.fetch(PATHS.logHead);
  if (bytes === undefined) throw invalidHead('is missing');
  const head = parseHead(bytes, invalidHead);
  assertExtends(head, held);
  release.addUnlisted(PATHS.logHead, bytes);
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
  { head, roots }: UnreadLog,
  held: HeldLog | undefined,
): Promise<DownloadedLog> {
  const entries = await rejecting(() => downloadEntries(release, { head, roots }, held?.entries ?? []));
  const leaves = entries.map(({ entry }) => entryBytes(entry));
  const tree = new LogTree(leaves.map(leafHash));
  if (!(await tree.isOf(head))) {
    if (held !== undefined && (await contradicts(release, head, held))) {
      throw new TreeRejected(
        `the log of ${release.sourceName} with ${head.size} entries and that of this mirror with ${held.head.size} entries ` +
          'contradict each other: keep both, one of them is a second history',
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

/**
 * Adds the statements of all entries. An entry does not name the signature of its statement, so all signatures are verified.
 *
 * @param known - the entries that were accepted before
 * @returns the entries
 */
async function downloadEntries(
  release: NewRelease,
  { head, roots }: UnreadLog,
  known: readonly IndexedEntry[],
): Promise<IndexedEntry[]> {
  const entries: IndexedEntry[] = [];
  const bundles: Bundles = new Map();
  let state = beginLog(roots);
  while (entries.length < head.size) {
    const first = entries.length;
    const indexes = indexesFrom(first, Math.min(first + BATCH, head.size));
    let batch = await readBatch(release, indexes, { head, known, bundles });
    let walk = await walkLog(state, batch);
    // A disk can damage what was accepted before.
    if (walk.problems.some(({ kind, index }) => kind !== 'order' && index < known.length)) {
      batch = await readBatch(release, indexes, { head, known: [], bundles });
      walk = await walkLog(state, batch);
    }
    const refusal = refusalIn(walk);
    // Nothing more is downloaded for a statement that the root key has not signed.
    if (refusal !== undefined) throw new TreeRejected(refusal);
    for (const [at, { statement }] of batch.entries())
      release.addVerified(PATHS.loggedStatement(first + at), statement);
    state = walk.state;
    entries.push(...walk.verified.map(({ index, entry }) => ({ index, entry })));
  }
  return entries;
}

const indexesFrom = (first: number, end: number) =>
  Array.from({ length: end - first }, (_one, at) => first + at);

/** Says who did not sign an entry, or what is wrong with it. The order is judged later, when this is no second history. */
function refusalIn({ problems }: LogWalk): string | undefined {
  const problem = problems.find(({ kind }) => kind !== 'order');
  return problem && `entry ${problem.index} of the log: ${problem.message}`;
}

/** The last bundle that was downloaded, by its index. */
type Bundles = Map<number, readonly Uint8Array[]>;

/** What is known of entries whose statements are read. */
interface EntryContext {
  readonly head: SignedHead;
  /** Entries whose statements the release being served has. */
  readonly known: readonly IndexedEntry[];
  readonly bundles: Bundles;
}

/** Reads the statements of some entries, and downloads what the release being served lacks. */
async function readBatch(
  release: NewRelease,
  indexes: readonly number[],
  { head, known, bundles }: EntryContext,
): Promise<(WalkedEntry & { readonly statement: Uint8Array })[]> {
  const statements = new Map<number, Uint8Array>();
  await forEachConcurrent(indexes, CONCURRENCY, async (index) => {
    const path = PATHS.loggedStatement(index);
    const held = known[index] === undefined ? undefined : release.held?.read(path);
    const bytes = held ?? (await release.fetch(path));
    if (bytes === undefined) throw new TreeRejected(`${path} is missing`);
    statements.set(index, bytes);
  });
  const batch = [];
  for (const index of indexes) {
    const statement = statements.get(index) as Uint8Array;
    const entry = isOfOtherType(statement)
      ? (known[index]?.entry ?? (await fetchEntry(release, { index, head }, bundles)))
      : known[index]?.entry;
    batch.push({ statement, entry });
  }
  return batch;
}

async function fetchEntry(
  release: NewRelease,
  { index, head }: { readonly index: number; readonly head: SignedHead },
  bundles: Bundles,
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
