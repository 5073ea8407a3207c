import { MAX_RECORD_BYTES } from '../diagnostics/rules.js';
import { IoFailed, UsageError } from '../errors.js';
import {
  type CommitChanges,
  commitsWithChanges,
  type Repository,
  readObjects,
  repositoryAround,
} from '../files/git.js';
import { recordFile, stemOf } from '../records/collect.js';
import { isRecordPath } from '../records/record-name.js';
import { parseRecordFile } from '../records/yaml/parse.js';

/** A committed change of an issuer's status. */
export interface StatusChange {
  readonly issuer: string;
  /** When it was committed, RFC 3339. */
  readonly at: string;
  /** Undefined if the record was removed. */
  readonly to: string | undefined;
}

/**
 * Returns the committed changes of the status of issuers, newest first. Compares the records of each commit with those of its
 * parents.
 *
 * @throws {@link IoFailed}
 */
export function statusChanges(
  issuers: string,
  env: NodeJS.ProcessEnv,
  ids: readonly string[],
): StatusChange[] {
  const [repository, commits] = commitsOf(issuers, env);
  const changes = commits.map((commit) => ({
    ...commit,
    changes: commit.changes.filter(({ path }) => isRecordPath(path) && ids.includes(stemOf(path))),
  }));
  const blobs = changes.flatMap((commit) =>
    commit.changes.flatMap(({ before, after }) => [...before, after]),
  );
  const objects = readObjects(new Set(blobs.filter((id) => id !== undefined)), MAX_RECORD_BYTES, repository);
  const known = new Map<string, string | undefined>();
  for (const [id, content] of objects)
    known.set(id, typeof content === 'number' ? undefined : readStatus(content));
  return changes.flatMap((commit) => changesIn(commit, (id) => known.get(id ?? '')));
}

function commitsOf(issuers: string, env: NodeJS.ProcessEnv): [Repository, CommitChanges[]] {
  try {
    const repository = repositoryAround(issuers, env);
    return [repository, commitsWithChanges(repository)];
  } catch (cause) {
    if (!(cause instanceof IoFailed || cause instanceof UsageError)) throw cause;
    throw new IoFailed(`the git history of ${issuers} cannot be read: ${cause.message}`, { cause });
  }
}

/** Reads the status from a record, if the record has one. */
function readStatus(content: Uint8Array): string | undefined {
  const record = recordFile('', content);
  const value = 'text' in record ? parseRecordFile(record).value : undefined;
  const found = (value as Record<string, unknown> | null | undefined)?.['status'];
  return typeof found === 'string' ? found : undefined;
}

/**
 * The status of one issuer before and after a commit. A record that moves to another folder is still the same issuer.
 */
interface Move {
  /** One item for each parent of the commit. */
  before: (string | undefined)[];
  after: string | undefined;
}

function changesIn(
  { changes, at }: CommitChanges,
  statusOf: (id: string | undefined) => string | undefined,
): StatusChange[] {
  const moves = new Map<string, Move>();
  for (const { path, before, after } of changes) {
    const issuer = stemOf(path);
    const move = moves.get(issuer) ?? { before: before.map(() => undefined), after: undefined };
    move.before = before.map((id, parent) => (id === undefined ? move.before[parent] : statusOf(id)));
    if (after !== undefined) move.after = statusOf(after);
    moves.set(issuer, move);
  }
  return [...moves].flatMap(([issuer, { before, after }]) =>
    before.every((status) => status !== after) ? [{ issuer, at, to: after }] : [],
  );
}
