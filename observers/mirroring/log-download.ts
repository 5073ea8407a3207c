import {
  type AnyEntry,
  bundlePath,
  entryBytes,
  forEachConcurrent,
  isOfOtherType,
  isSameBytes,
  LogTree,
  leafHash,
  type PublicationStatement,
  parseAnyEntry,
  parseBundle,
  parseHead,
  readLogged,
  readTileOrBundle,
  type SignedHead,
  signerAmong,
  TILE_WIDTH,
  tileWidth,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { appendEntries } from '../../generator/log/append.js';
import { EMPTY_LOG } from '../../generator/log/log-files.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { AcceptedHead } from '../../generator/verification/accept.js';
import { CONCURRENCY } from '../../generator/verification/ask-host.js';
import type { NewRelease } from './new-release.js';

/** The number of new entries of the log. */
const MAX_NEW_ENTRIES = 100_000;
/** How many statements are in memory at a time. */
const BATCH = 256;

/** What is known of a log before it is downloaded. */
interface NamedLog {
  /** The publication of the tree, which has been verified. It names the key of the log. */
  readonly publication: PublicationStatement;
  /** The head that was accepted last. Undefined if there is none. */
  readonly accepted: AcceptedHead | undefined;
  /** Whether statements are taken from the release being served. Only the root of the head shows that one is damaged. */
  readonly isReused: boolean;
}

/**
 * Adds the log of a publication: its newest head, and the statement of each entry. Only statements that the release being
 * served lacks are downloaded. Entries follow from their statements, and tiles from the entries, so neither is downloaded:
 * the root of the head proves both. An entry of an unknown type does not follow from its statement, so its bundle is
 * downloaded. The audit of the whole tree verifies the signatures of the statements.
 *
 * @returns the entries
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function addLog(release: NewRelease, log: NamedLog): Promise<readonly AnyEntry[]> {
  const head = await addHead(release, log);
  const entries = await addStatements(release, head, log);
  const leaves = entries.map(entryBytes);
  const tree = new LogTree(leaves.map(leafHash));
  if (!(await tree.isOf(head)))
    throw new TreeRejected(
      `the log of ${release.sourceName} does not belong to ${PATHS.logHead}: it is damaged, or has a second history`,
    );
  if (log.accepted !== undefined && !(await tree.contains(log.accepted)))
    throw contradiction(release, head, log.accepted);
  for (const [path, file] of appendEntries(EMPTY_LOG, leaves).files) release.addMade(path, file);
  return entries;
}

const invalidHead = (message: string) => new TreeRejected(`${PATHS.logHead} ${message}`);

/** The key of the log has signed both heads, so one of them belongs to a second history. */
const contradiction = ({ sourceName }: NewRelease, head: SignedHead, accepted: AcceptedHead) =>
  new TreeRejected(
    `the log of ${sourceName} with ${head.size} entries and that of this mirror with ${accepted.size} contradict each other: keep both`,
    { see: 'docs/operators/log.md#watch-the-log' },
  );

/**
 * Adds the newest head. The download ends here if the log cannot contain the accepted one, or its key has not signed the
 * head.
 */
async function addHead(release: NewRelease, { publication, accepted }: NamedLog): Promise<SignedHead> {
  const bytes = await release.fetch(PATHS.logHead);
  if (bytes === undefined) throw invalidHead('is missing');
  const head = parseHead(bytes, invalidHead);
  const { size, origin } = head;
  if ((await signerAmong(head, [publication.log?.vkey ?? ''])) === undefined)
    throw invalidHead('is not signed by the key of the log that the publication names');
  if (accepted !== undefined && origin !== accepted.origin)
    throw invalidHead(`is of the log ${origin}, but the log is ${accepted.origin}`);
  const known = accepted?.size ?? 0;
  if (accepted !== undefined && size === known && !isSameBytes(head.root, accepted.root))
    throw contradiction(release, head, accepted);
  if (size < known)
    throw invalidHead(`has ${size} entries, but a log with ${known} entries was accepted before`);
  if (size - known > MAX_NEW_ENTRIES)
    throw new TreeRejected(
      `the log has ${size - known} new entries, but a mirror downloads at most ${MAX_NEW_ENTRIES} at a time`,
    );
  release.addUnlisted(PATHS.logHead, bytes);
  return head;
}

async function addStatements(
  release: NewRelease,
  { size }: SignedHead,
  { isReused }: NamedLog,
): Promise<readonly AnyEntry[]> {
  const entries: AnyEntry[] = [];
  const bundles: Bundles = new Map();
  let steps = 0;
  while (entries.length < size) {
    const first = entries.length;
    const batch = new Array<Uint8Array>(Math.min(BATCH, size - first));
    await forEachConcurrent([...batch.keys()], CONCURRENCY, async (at) => {
      const path = PATHS.loggedStatement(first + at);
      const held = isReused ? release.held?.read(path) : undefined;
      const bytes = held ?? (await release.fetch(path));
      if (bytes === undefined) throw new TreeRejected(`${path} is missing`);
      batch[at] = bytes;
    });
    for (const statement of batch) {
      const index = entries.length;
      const entry = isOfOtherType(statement)
        ? await fetchEntry(release, { index, size }, bundles)
        : await entryOf(statement, { index, steps });
      if (entry.type === 'rotation') steps++;
      release.addMade(PATHS.loggedStatement(index), statement);
      entries.push(entry);
    }
  }
  return entries;
}

async function entryOf(
  statement: Uint8Array,
  { index, steps }: { readonly index: number; readonly steps: number },
): Promise<AnyEntry> {
  const invalid = (message: string) =>
    new TreeRejected(`entry ${index} of the log: its statement ${message}`);
  const { entry } = await readLogged(statement, steps, invalid);
  if (entry === undefined) throw invalid('is of an unknown type');
  return entry;
}

/** The last bundle that was downloaded, by its index. */
type Bundles = Map<number, readonly Uint8Array[]>;

async function fetchEntry(
  release: NewRelease,
  { index, size }: { readonly index: number; readonly size: number },
  bundles: Bundles,
): Promise<AnyEntry> {
  const invalid = (message: string) => new TreeRejected(`the entry ${index} of the log ${message}`);
  const at = Math.floor(index / TILE_WIDTH);
  let bundle = bundles.get(at);
  if (bundle === undefined) {
    const address = { level: 0, index: at, width: tileWidth(0, at, size) };
    const bytes = await readTileOrBundle((path) => release.fetch(path), bundlePath, address);
    if (bytes === undefined) throw invalid('is missing');
    bundle = parseBundle(bytes, invalid);
    // Only one stays in memory.
    bundles.clear();
    bundles.set(at, bundle);
  }
  return parseAnyEntry(bundle[index % TILE_WIDTH] ?? new Uint8Array(), invalid);
}
