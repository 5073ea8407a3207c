import { type RootKey, verifySignature } from '@passport-registry/verifier';
import {
  assertSignedByLog,
  decodeUtf8,
  isSameHash,
  type NoteKey,
  type PublicationEntry,
  type PublishedStatement,
  parseHead,
  type SignedHead,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import type { PlacedEntry } from '../log/log-tail.js';
import type { LogTree } from '../log/log-tree.js';
import { limitedReader, readEntries } from '../log/read-log.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { checkCosignedHead } from './cosigned-head.js';
import { checkArchive } from './log-archive.js';
import { assertProves, logKeyIn } from './log-proof.js';
import type { LogRoots } from './log-signers.js';
import { assertLogged, checkStatements, type PlacedPublication, treeStatements } from './log-statements.js';
import { Problems, type SeenFiles } from './seen-files.js';
import { assertHeadSigned } from './signed-head.js';
import { type Note, unknownEntries } from './unknown-parts.js';

/** What is known of a log. */
export interface KnownLog {
  /** A head that was accepted before. The log must contain it. */
  readonly head?: Pick<SignedHead, 'origin' | 'size' | 'root'> | undefined;
  /** Whether a file of the log was verified before, and has not changed since. */
  readonly isVerified?: ((path: string) => boolean) | undefined;
}

/** What a log is checked against. */
export interface LogConditions extends KnownLog {
  /** The publication statement of the tree, which has been verified. Undefined if the tree has none yet. */
  readonly statement: PublishedStatement | undefined;
  readonly roots: LogRoots;
}

/** A log that has been verified. */
export interface CheckedLog {
  readonly head: SignedHead;
  /** The key of the log, which has signed the head. */
  readonly key: NoteKey;
  readonly tree: LogTree;
  /** The list of a publication that is in the log, but has not replaced the published files yet. */
  readonly pendingList: string | undefined;
  /** The root keys, oldest first, with those of rotations that are only in the log yet. */
  readonly rootKeys: readonly RootKey[];
  /** What the log can no longer prove, in words. */
  readonly warnings: readonly string[];
  /** The entries of types that this version does not know. */
  readonly notes: readonly Note[];
}

/**
 * Checks the log of a tree (rule log-audit): the key of the log has signed its head; all entries and tiles belong to
 * that head; their statements are kept, and signed by the root key; the proof shows that the log contains the
 * publication statement; a publication that is only in the log can be fetched; there is nothing else in the folders of
 * the log and of witnesses.
 */
export async function checkLog(files: SeenFiles, conditions: LogConditions): Promise<CheckedLog> {
  try {
    return await readLog(files, conditions);
  } catch (error) {
    if (!(error instanceof TreeRejected)) throw error;
    throw new Problems([error.message]);
  }
}

async function readLog(files: SeenFiles, conditions: LogConditions): Promise<CheckedLog> {
  const { statement, isVerified = () => false } = conditions;
  const origin = statement?.log?.origin;
  // Before the head, which is then not older, also on a live host.
  const cosigned = origin === undefined ? undefined : await files.get(PATHS.cosignedHead(origin));
  const statements = await treeStatements(files);
  const head = parseHead(await files.require(PATHS.logHead), inHead);
  await assertHeadSigned(files, head, conditions);
  // A host can send any number of files. A tree in a folder is on the disk of whoever checks it.
  const fetchFile = (path: string) => files.read(path);
  const { entries, tree } = await readEntries(
    files.source.live
      ? limitedReader({ fetchFile, invalid: damaged }, head.size)
      : { fetchFile, invalid: damaged },
    head,
  );
  await assertContains({ ...head, tree }, conditions.head);
  const { published, pending } = newestIn(entries, statement);
  const signers = await checkStatements(files, { entries, published }, conditions);
  if (published !== undefined) assertLogged(statements, entries);
  const newest = await statementAt(files, pending ?? published);
  const key = logKeyIn(newest, inHead);
  if (key.name !== (origin ?? key.name)) throw inHead(`is of the log ${key.name}, not of ${origin}`);
  await assertSignedByLog(head, key, inHead);
  if (published !== undefined && statement !== undefined) {
    const proof = await files.require(PATHS.logProof);
    await assertProves(proof, { ...published, statement: statement.text, tree }, PATHS.logProof);
  }
  if (pending !== undefined) await checkPendingList(files, pending.entry, signers.inForce);
  await checkArchive(files, { origin: head.origin, entries, tree, isVerified });
  if (cosigned !== undefined) {
    // Each publication names the key that signs the log from then on.
    const keyAt = async (size: number) =>
      logKeyIn(await statementAt(files, publicationBefore(size, entries) ?? pending ?? published), inHead);
    await checkCosignedHead(cosigned, { origin: head.origin, tree, keyAt }, PATHS.cosignedHead(head.origin));
  }
  const warnings = missingProofs(files, entries, published);
  const notes = unknownEntries(entries);
  return { head, key, tree, pendingList: pending?.entry.list, rootKeys: signers.keys, warnings, notes };
}

const problemIn = (path: string) => (message: string) => new Problems([`${path} ${message}`]);
const inHead = problemIn(PATHS.logHead);
const damaged = problemIn('the log');

/** Asserts that a log contains a log that was verified before (rule log-mirror). */
async function assertContains(
  { origin, size, tree }: SignedHead & { readonly tree: LogTree },
  known: KnownLog['head'],
): Promise<void> {
  if (known === undefined) return;
  if (origin !== known.origin) throw inHead(`is of the log ${origin}, but the log is ${known.origin}`);
  if (size < known.size) {
    throw inHead(`has ${size} entries, but a log with ${known.size} entries was accepted before`);
  }
  if (!isSameHash(await tree.rootAt(known.size), known.root)) {
    throw inHead(`does not contain the log with ${known.size} entries that was accepted before`);
  }
}

/** The entry of the publication statement, and the entry of a newer publication. One of them exists. */
interface NewestEntries {
  readonly published: PlacedPublication | undefined;
  readonly pending: PlacedPublication | undefined;
}

function newestIn(entries: readonly PlacedEntry[], statement: PublishedStatement | undefined): NewestEntries {
  const publications = entries.filter(isPublication);
  const newest = publications.at(-1);
  const hash = statement?.log && sha256(statement.text);
  const published = publications.find(({ entry }) => entry.sha256 === hash);
  if (hash !== undefined && published === undefined) {
    throw inHead(`is of a log that does not contain ${PATHS.publication}`);
  }
  if (newest === undefined) throw inHead('is of a log without a publication');
  return { published, pending: newest === published ? undefined : newest };
}

const isPublication = (placed: PlacedEntry): placed is PlacedPublication =>
  placed.entry.type === 'publication';

/** Returns the newest publication among the first entries. */
const publicationBefore = (size: number, entries: readonly PlacedEntry[]) =>
  entries.slice(0, size).findLast(isPublication);

function statementAt(files: SeenFiles, placed: PlacedEntry | undefined): Promise<Uint8Array> {
  return files.require(PATHS.loggedStatement(placed?.index ?? 0));
}

/** Whoever sees the head of a log can fetch the newest list that it names, although the published list is still another one. */
async function checkPendingList(
  files: SeenFiles,
  { list }: PublicationEntry,
  rootKey: RootKey | undefined,
): Promise<void> {
  const path = PATHS.snapshot(list, PATHS.list);
  const invalid = problemIn(path);
  const bytes = await files.require(path);
  const signature = await files.require(PATHS.snapshot(list, PATHS.signature));
  if (sha256(bytes) !== list) throw invalid('does not have the hash in its path');
  try {
    if (rootKey !== undefined) await verifySignature(bytes, decodeUtf8(signature), rootKey);
  } catch {
    throw invalid('is not signed by the root key');
  }
}

/**
 * Returns a warning if proofs of earlier publications are missing. That is no fault: a publication that was logged, but never
 * completed, has none.
 */
function missingProofs(
  files: SeenFiles,
  entries: readonly PlacedEntry[],
  published: PlacedPublication | undefined,
): string[] {
  const paths = new Set(files.paths());
  if (paths.size === 0 || published === undefined) return [];
  const unproven = entries
    .slice(0, published.index)
    .filter(isPublication)
    .filter(({ index }) => !(paths.has(PATHS.firstProof(index)) && paths.has(PATHS.lastProof(index))));
  if (unproven.length === 0) return [];
  const places = unproven.map(({ index }) => index).join(', ');
  return [`nothing proves when the publications at these places in the log were in force: ${places}`];
}
