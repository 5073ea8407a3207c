import { RegistryError } from '@passport-registry/verifier';
import {
  beginLog,
  COSIGNATURE_AGE_MS,
  COSIGNED_ANY_TIME,
  type FirstRoots,
  type IndexedEntry,
  isSameBytes,
  type LogTrust,
  type PublicationStatement,
  parseHead,
  recentCosignatures,
  type SignedHead,
  type StatementsFile,
  signerAmong,
  statementHash,
  verifyPublicationProof,
  type WalkedEntry,
  walkLog,
} from '@passport-registry/verifier/core';
import { clockAt } from '../list/updated-at.js';
import { limitedReader, readEntries } from '../log/read-log.js';
import { PATHS } from '../tree/paths.js';
import { findArchiveProblems } from './log-archive.js';
import { failIfAny, Problems, type SeenFiles } from './seen-files.js';
import { type Note, unknownEntries } from './unknown-parts.js';

/** What a tree says about its log. Its publication names the log, and is the last entry of it. */
interface StatedLog {
  /** The publication statement of the tree, which has been verified. */
  readonly statement: PublicationStatement;
  /** The file with the statement, its proof and the rotation. */
  readonly statements: StatementsFile;
  /** The root keys of the tree. */
  readonly roots: FirstRoots;
}

/** A log that has been verified. */
export interface CheckedLog {
  readonly head: SignedHead;
  /** The entries of types that this version does not know. */
  readonly notes: readonly Note[];
}

/**
 * Checks the log of a tree (rule log-audit): its head is that of the proof in the statements, in which the publication is the last
 * entry; all entries and tiles belong to that head; their statements are kept, and signed by the root key; there is nothing else
 * in the folder of the log.
 */
export async function checkLog(
  files: SeenFiles,
  { statement, statements, roots }: StatedLog,
): Promise<CheckedLog> {
  const head = parseHead(await files.require(PATHS.logHead), inHead);
  // Before the entries are read: anybody can claim a log of any size.
  await assertProven(head, statement, statements);
  const reader = { fetchFile: (path: string) => files.read(path), invalid: damaged };
  // A host can send any number of files. A tree in a folder is on the disk of whoever checks it.
  const { entries, tree } = await readEntries(
    files.source.live ? limitedReader(reader, head.size) : reader,
    head,
  );
  // A live host is asked for one file at a time, so only for the statement of the publication.
  await checkStatements(files, entries, { roots, first: files.source.live ? head.size - 1 : 0 });
  assertLogged(statements.rotation, entries);
  failIfAny(await findArchiveProblems(files, { entries, tree }));
  return { head, notes: unknownEntries(entries) };
}

const problemIn = (path: string) => (message: string) => new Problems([`${path} ${message}`]);
const inHead = problemIn(PATHS.logHead);
const damaged = problemIn('the log');

/**
 * Asserts that the newest head is that of the proof, under which the publication is the last entry (rules log-head, log-tree): the
 * key that the publication names has signed both. Their cosignatures can differ.
 */
async function assertProven(
  head: SignedHead,
  statement: PublicationStatement,
  { logProof }: StatementsFile,
): Promise<void> {
  const { origin = '', vkey = '' } = statement.log ?? {};
  const rules = { origin, witnesses: [], quorum: 0, ...COSIGNED_ANY_TIME };
  const proven = await verifyPublicationProof(logProof, statement, rules).catch((cause: Error) => {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new Problems([`the proof of the log is refused: ${cause.message}`]);
  });
  if (head.origin !== origin) throw inHead(`is of the log ${head.origin}, not of ${origin}`);
  if ((await signerAmong(head, [vkey])) === undefined)
    throw inHead('is not signed by the key of the log that the publication names');
  if (head.size !== proven.size)
    throw inHead(
      `has ${head.size} entries, but the publication is the last of ${proven.size}: the log ends with another publication`,
    );
  if (!isSameBytes(head.root, proven.root)) throw inHead('has another root than the proof of the log');
}

/** What the statements of a log are checked against. */
interface StatementConditions {
  /** The root keys of the tree. */
  readonly roots: FirstRoots;
  /** The first entry whose statement is read. The others are passed. */
  readonly first: number;
}

/** How many statements are in memory at a time. */
const BATCH = 256;

/**
 * Checks the order of the entries of a log, and that the statement of each is kept, and signed by the root key in force there.
 * Nothing is checked after a statement that is refused.
 */
async function checkStatements(
  files: SeenFiles,
  entries: readonly IndexedEntry[],
  { roots, first }: StatementConditions,
): Promise<void> {
  const problems: string[] = [];
  let state = beginLog(roots);
  for (let at = 0; at < entries.length; at += BATCH) {
    const batch: WalkedEntry[] = [];
    for (const { index, entry } of entries.slice(at, at + BATCH)) {
      const path = PATHS.loggedStatement(index);
      const statement = index < first ? undefined : await files.read(path);
      if (statement === undefined && index >= first) problems.push(`${path} is missing`);
      batch.push({ entry, statement });
    }
    const walked = await walkLog(state, batch);
    state = walked.state;
    for (const { kind, index, message } of walked.problems) {
      problems.push(`entry ${index} of the log: ${message}`);
      if (kind !== 'order') throw new Problems(problems);
    }
  }
  failIfAny(problems);
}

/** Asserts that a log contains the rotation steps of a tree. */
function assertLogged(rotation: readonly string[], entries: readonly IndexedEntry[]): void {
  const logged = new Set(entries.map(({ entry }) => entry.sha256));
  const missing = rotation.findIndex((step) => !logged.has(statementHash(step)));
  if (missing !== -1) throw new Problems([`the log does not contain step ${missing + 1} of the rotation`]);
}

/**
 * Checks what a trust anchor demands of a publication: that it is in this log, and that enough witnesses have cosigned the log
 * of late, as a verifier's client does (rule log-quorum).
 *
 * @param demands - with the time now, in milliseconds since 1970
 */
export async function checkQuorum(
  { logProof }: StatementsFile,
  statement: PublicationStatement,
  { now, ...trust }: LogTrust & { readonly now: number },
): Promise<void> {
  const times = recentCosignatures(clockAt(now), COSIGNATURE_AGE_MS);
  await verifyPublicationProof(logProof, statement, { ...trust, ...times });
}
