import {
  assertSignedByLog,
  entryBytes,
  forEachConcurrent,
  type LogProof,
  type PublicationEntry,
  type PublicationStatement,
  parseHead,
  parseLogProof,
  parseNoteKey,
  provesEntry,
  publicationEntry,
  type SignedHead,
} from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { readPublicationStatement } from '../freshness/read-publication.js';
import type { PlacedEntry } from '../log/log-tail.js';
import { readEntries } from '../log/read-log.js';
import { PATHS } from '../tree/paths.js';
import { CONCURRENCY } from './ask-host.js';
import { failIfAny, Problems, readOrReport, type SeenFiles } from './seen-files.js';

/** A publication statement with its text. It has been verified. */
type Statement = PublicationStatement & { readonly text: string };

/** What a check of the log has found. */
export interface CheckedLog {
  /** The list of a publication that is in the log, but has not replaced the published files yet. */
  readonly pendingList: string | undefined;
}

/**
 * Checks the log of a tree (SPEC C7): the key of the log has signed its head, all entries and tiles belong to that head,
 * their statements are kept, and the proof shows that the log contains the publication statement.
 */
export async function checkLog(files: SeenFiles, statement: Statement): Promise<CheckedLog> {
  try {
    const head = parseHead(await textOf(files, PATHS.logHead), problemIn(PATHS.logHead));
    const { entries } = await readEntries(async (path) => files.read(path), head);
    await assertProof(files, statement, head);
    const newest = entries.findLast(({ entry }) => entry.type === 'publication');
    const pending = newest?.entry.sha256 === publicationEntry(statement).sha256 ? undefined : newest;
    await assertHeadSigned(files, head, { statement, pending });
    await checkKeptStatements(files, entries);
    return { pendingList: (pending?.entry as PublicationEntry | undefined)?.list };
  } catch (error) {
    if (!(error instanceof TreeRejected)) throw error;
    throw new Problems([error.message]);
  }
}

const problemIn = (path: string) => (message: string) => new Problems([`${path} ${message}`]);

async function textOf(files: SeenFiles, path: string): Promise<string> {
  return Buffer.from(await files.require(path)).toString('utf8');
}

async function assertProof(files: SeenFiles, statement: Statement, head: SignedHead): Promise<LogProof> {
  const invalid = problemIn(PATHS.logProof);
  const proof = parseLogProof(await textOf(files, PATHS.logProof), invalid);
  await assertSignedByLog(proof.head, parseNoteKey(statement.log?.vkey, 'log', invalid), invalid);
  if (!provesEntry(proof, entryBytes(publicationEntry(statement)))) {
    throw invalid(`does not prove that the log contains ${PATHS.publication}`);
  }
  if (proof.head.size > head.size) throw invalid(`is for a larger log than ${PATHS.logHead}`);
  return proof;
}

/** The statement of the tree, and the entry of a newer one. */
interface Newest {
  readonly statement: Statement;
  readonly pending: PlacedEntry | undefined;
}

/** A pending publication can name a new key of the log, which has then signed the head. */
async function assertHeadSigned(
  files: SeenFiles,
  head: SignedHead,
  { statement, pending }: Newest,
): Promise<void> {
  const invalid = problemIn(PATHS.logHead);
  const next = pending && readPublicationStatement(await textOf(files, PATHS.loggedStatement(pending.index)));
  const { vkey } = (next ?? statement).log ?? {};
  await assertSignedByLog(head, parseNoteKey(vkey, 'log', invalid), invalid);
}

/** The root key's statements are kept beside the log. A live host is asked for the newest one only. */
async function checkKeptStatements(files: SeenFiles, entries: readonly PlacedEntry[]): Promise<void> {
  const problems: string[] = [];
  await forEachConcurrent(
    files.source.live ? entries.slice(-1) : entries,
    CONCURRENCY,
    async ({ index, entry }) => {
      const path = PATHS.loggedStatement(index);
      const hash = await readOrReport(path, (path) => files.hash(path), problems);
      if (hash !== undefined && hash !== entry.sha256)
        problems.push(`${path} does not belong to its entry in the log`);
    },
  );
  failIfAny(problems.sort());
}
