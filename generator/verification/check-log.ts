import { RegistryError, type RootKey, verifySignature } from '@passport-registry/verifier';
import {
  beginLog,
  COSIGNED_ANY_TIME,
  decodeUtf8,
  type FirstRoots,
  headSigner,
  type IndexedEntry,
  type IndexedPublication,
  isPublication,
  keysAt,
  type LogState,
  type LogTree,
  type LogTrust,
  type PublicationEntry,
  type PublicationStatement,
  parseHead,
  readRotation,
  recentCosignatures,
  rootKeysOf,
  type SignedHead,
  signerAmong,
  verifyPublicationProof,
  type WalkedEntry,
  walkLog,
} from '@passport-registry/verifier/core';
import { clockAt } from '../list/updated-at.js';
import { limitedReader, readEntries } from '../log/read-log.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { findArchiveFaults } from './log-archive.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';
import { type Note, unknownEntries } from './unknown-parts.js';

/** What was accepted of a log before. */
export interface AcceptedLog {
  /** A head that was accepted before. The log must contain it. */
  readonly head?: Pick<SignedHead, 'origin' | 'size' | 'root'> | undefined;
  /** Whether a file of the log was verified before, and has not changed since. */
  readonly isVerified?: ((path: string) => boolean) | undefined;
}

/** What a tree says about its log. */
export interface StatedLog {
  /** The publication statement of the tree, which has been verified. Undefined if the tree has none yet. */
  readonly statement: PublicationStatement | undefined;
  /** The root keys of the tree. */
  readonly roots: FirstRoots;
}

/** A log that has been verified. */
export interface CheckedLog {
  readonly head: SignedHead;
  /** The list of a publication that is in the log, but has not replaced the published files yet. */
  readonly pendingList: string | undefined;
  /** The entries of types that this version does not know. */
  readonly notes: readonly Note[];
}

/**
 * Checks the log of a tree (rule log-audit): the key of the log has signed its head; all entries and tiles belong to
 * that head; their statements are kept, and signed by the root key; the proof shows that the log contains the
 * publication statement; a publication that is only in the log can be fetched; there is nothing else in the folder of the
 * log.
 */
export async function checkLog(
  files: SeenFiles,
  stated: StatedLog,
  { head: accepted, isVerified = () => false }: AcceptedLog = {},
): Promise<CheckedLog> {
  const { statement, roots } = stated;
  const origin = statement?.log?.origin;
  const statements = await treeStatements(files);
  const head = parseHead(await files.require(PATHS.logHead), inHead);
  await assertHeadSigned(files, head, stated);
  // A host can send any number of files. A tree in a folder is on the disk of whoever checks it.
  const fetchFile = (path: string) => files.read(path);
  const { entries, tree } = await readEntries(
    files.source.live
      ? limitedReader({ fetchFile, invalid: damaged }, head.size)
      : { fetchFile, invalid: damaged },
    head,
  );
  await assertContains({ ...head, tree }, accepted);
  const { published, pending } = newestIn(entries, statement);
  // A live host is asked for one file at a time, so only for those from the published one on.
  const first = files.source.live ? (published?.index ?? 0) : 0;
  const isRead = (index: number) => index >= first;
  const state = await checkStatements(files, entries, { roots, isRead, isVerified });
  if (published !== undefined) assertLogged(statements, entries);
  const key = await signerAmong(head, keysAt(state.keys, head.size));
  if (key === undefined) throw inHead('is not signed by the key of the log');
  if (key.name !== (origin ?? key.name)) throw inHead(`is of the log ${key.name}, not of ${origin}`);
  if (published !== undefined && statement !== undefined)
    await checkProof(files, { tree, published, statement });
  const current = (await rootKeysOf(state)).find(({ thumbprint }) => thumbprint === state.inForce);
  if (pending !== undefined) await checkPendingList(files, pending.entry, current);
  const archived = { entries, tree, isVerified };
  failIfAny((await findArchiveFaults(files, archived)).map(({ problem }) => problem));
  return { head, pendingList: pending?.entry.list, notes: unknownEntries(entries) };
}

const problemIn = (path: string) => (message: string) => new Problems([`${path} ${message}`]);
const inHead = problemIn(PATHS.logHead);
const damaged = problemIn('the log');

/** Asserts that a key has signed the head that the root key has named, before the entries are read: anybody can claim a log of any size. */
async function assertHeadSigned(
  files: SeenFiles,
  head: SignedHead,
  { statement, roots }: StatedLog,
): Promise<void> {
  const read = (index: number) => files.get(PATHS.loggedStatement(index));
  if ((await headSigner(head, statement?.text, { roots: roots.keys, read })) !== undefined) return;
  throw inHead('is not signed by the key of the log that the root key names');
}

/** What the statements of a log are checked against. */
interface StatementConditions {
  /** The root keys of the tree. */
  readonly roots: FirstRoots;
  /** Whether the statement of an entry is read. The others are passed. */
  readonly isRead: (index: number) => boolean;
  /** Whether a file of the log was verified before, and has not changed since. */
  readonly isVerified: (path: string) => boolean;
}

/** How many statements are in memory at a time. */
const BATCH = 256;

/**
 * Checks the order of the entries of a log, and that the statement of each is kept, and signed by the root key in force there.
 * Nothing is checked after a statement that is refused.
 *
 * @returns the state at the end of the log
 */
async function checkStatements(
  files: SeenFiles,
  entries: readonly IndexedEntry[],
  { roots, isRead, isVerified }: StatementConditions,
): Promise<LogState> {
  const problems: string[] = [];
  let state = beginLog(roots);
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch: WalkedEntry[] = [];
    for (const { index, entry } of entries.slice(at, at + BATCH)) {
      const path = PATHS.loggedStatement(index);
      const statement = isRead(index) ? await files.read(path) : undefined;
      if (statement === undefined && isRead(index)) problems.push(`${path} is missing`);
      batch.push({ entry, statement, isVerified: isVerified(path) });
    }
    const walked = await walkLog(state, batch);
    state = walked.state;
    for (const { kind, index, message } of walked.problems) {
      problems.push(`entry ${index} of the log: ${message}`);
      if (kind !== 'order') throw new Problems(problems);
    }
  }
  failIfAny(problems);
  return state;
}

/** A statement of a tree that its log must contain besides the publication statement: where it is, and its SHA-256. */
type StatementToLog = readonly [place: string, sha256: string];

/** Reads the statements that a log must contain. Call it before the head is read, which is then not older. */
async function treeStatements(files: SeenFiles): Promise<readonly StatementToLog[]> {
  const [rotation, delegation] = [await files.get(PATHS.rotation), await files.get(PATHS.delegation)];
  const steps = rotation === undefined ? [] : readRotation(rotation);
  const stated = steps.map(
    ({ text }, at): StatementToLog => [`step ${at + 1} of ${PATHS.rotation}`, sha256(text)],
  );
  return delegation === undefined ? stated : [...stated, [PATHS.delegation, sha256(delegation)]];
}

/** Asserts that a log contains the rotation steps and the delegation of a tree. */
function assertLogged(statements: readonly StatementToLog[], entries: readonly IndexedEntry[]): void {
  const logged = new Set(entries.map(({ entry }) => entry.sha256));
  const [missing] = statements.find(([, hash]) => !logged.has(hash)) ?? [];
  if (missing !== undefined) throw new Problems([`the log does not contain ${missing}`]);
}

/** Asserts that a log contains a log that was verified before (rule log-mirror). */
async function assertContains(
  { origin, size, tree }: SignedHead & { readonly tree: LogTree },
  known: AcceptedLog['head'],
): Promise<void> {
  if (known === undefined) return;
  if (origin !== known.origin) throw inHead(`is of the log ${origin}, but the log is ${known.origin}`);
  if (size < known.size) {
    throw inHead(`has ${size} entries, but a log with ${known.size} entries was accepted before`);
  }
  if (!(await tree.contains(known))) {
    throw inHead(`does not contain the log with ${known.size} entries that was accepted before`);
  }
}

/** Finds the entry of the publication statement, and the entry of a newer publication. One of them exists. */
function newestIn(
  entries: readonly IndexedEntry[],
  statement: PublicationStatement | undefined,
): { readonly published: IndexedPublication | undefined; readonly pending: IndexedPublication | undefined } {
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

/** Whoever sees the head of a log can fetch the newest list that it names, although the published list is still another one. */
async function checkPendingList(
  files: SeenFiles,
  { list }: PublicationEntry,
  rootKey: RootKey | undefined,
): Promise<void> {
  const path = PATHS.namedList(list);
  const invalid = problemIn(path);
  const bytes = await files.require(path);
  const signature = await files.require(PATHS.pending(list, PATHS.signature));
  if (sha256(bytes) !== list) throw invalid('does not have the hash in its name');
  try {
    if (rootKey !== undefined) await verifySignature(bytes, decodeUtf8(signature), rootKey);
  } catch {
    throw invalid('is not signed by the root key');
  }
}

/** A publication statement, and its entry in a log. */
interface LoggedStatement {
  readonly tree: LogTree;
  readonly published: IndexedPublication;
  readonly statement: PublicationStatement;
}

/** Checks the proof of the publication statement: it is for its entry, and its head is one of this log (rule log-tree). */
async function checkProof(files: SeenFiles, { tree, published, statement }: LoggedStatement): Promise<void> {
  const invalid = problemIn(PATHS.logProof);
  const rules = { origin: statement.log?.origin ?? '', witnesses: [], quorum: 0, ...COSIGNED_ANY_TIME };
  const proven = await verifyPublicationProof(await files.require(PATHS.logProof), statement, rules).catch(
    (cause: Error) => {
      if (!(cause instanceof RegistryError)) throw cause;
      throw invalid(`is refused: ${cause.message}`);
    },
  );
  if (proven.index !== published.index)
    throw invalid(`is for the entry ${proven.index}, but the publication statement is at ${published.index}`);
  if (!(await tree.contains(proven))) throw invalid('has a head that is not a head of this log');
}

/**
 * Checks what a trust anchor demands of a publication: that it is in this log, and that enough witnesses have cosigned the log
 * of late, as a verifier's client does (rule log-quorum).
 *
 * @param demands - with the age of the oldest cosignature that counts, and the time now, in milliseconds
 */
export async function checkQuorum(
  files: SeenFiles,
  statement: PublicationStatement | undefined,
  { maxAgeMs, now, ...trust }: LogTrust & { readonly maxAgeMs: number; readonly now: number },
): Promise<void> {
  if (statement === undefined) throw new Problems([`the tree has no ${PATHS.publication} that names a log`]);
  const times = recentCosignatures(clockAt(now), maxAgeMs);
  await verifyPublicationProof(await files.get(PATHS.logProof), statement, { ...trust, ...times });
}
