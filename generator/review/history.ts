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

/** A change of an issuer's status or tier. */
export interface CommittedChange {
  readonly commit: string;
  /** RFC 3339. */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
  readonly issuer: string;
  readonly field: Field;
  /** Undefined if the record is new. */
  readonly from: string | undefined;
  /** Undefined if the record was removed. */
  readonly to: string | undefined;
}

const FIELDS = ['tier', 'status'] as const;
type Field = (typeof FIELDS)[number];
type Values = Readonly<Record<Field, string | undefined>>;

const NO_VALUES: Values = { tier: undefined, status: undefined };

/**
 * Returns the changes of status and tier, newest first. Compares the records of each commit with those of its parents.
 *
 * @param ids - the issuers. Default: all
 * @throws {@link IoFailed}
 */
export function history(issuers: string, env: NodeJS.ProcessEnv, ids?: readonly string[]): CommittedChange[] {
  const [repository, commits] = commitsOf(issuers, env);
  const changes = commits.map((commit) => ({
    ...commit,
    changes: commit.changes.filter(
      ({ path }) => isRecordPath(path) && (ids === undefined || ids.includes(stemOf(path))),
    ),
  }));
  const blobs = changes.flatMap((commit) =>
    commit.changes.flatMap(({ before, after }) => [...before, after]),
  );
  const objects = readObjects(new Set(blobs.filter((id) => id !== undefined)), MAX_RECORD_BYTES, repository);
  const known = new Map<string, Values>();
  for (const [id, content] of objects)
    known.set(id, typeof content === 'number' ? NO_VALUES : readValues(content));
  return changes.flatMap((commit) => changesIn(commit, (id) => known.get(id ?? '') ?? NO_VALUES));
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

/** Reads status and tier from a record, as far as the record has them. */
function readValues(content: Uint8Array): Values {
  const record = recordFile('', content);
  const value = 'text' in record ? parseRecordFile(record).value : undefined;
  const textOf = (field: Field) => {
    const found = (value as Record<string, unknown> | null | undefined)?.[field];
    return typeof found === 'string' ? found : undefined;
  };
  return { tier: textOf('tier'), status: textOf('status') };
}

/**
 * The values of one issuer before and after a commit. A record that moves to another folder is still the same issuer.
 */
interface Move {
  /** One item for each parent of the commit. */
  before: Values[];
  after: Values;
}

function changesIn(
  { changes, ...commit }: CommitChanges,
  valuesOf: (id: string | undefined) => Values,
): CommittedChange[] {
  const moves = new Map<string, Move>();
  for (const { path, before, after } of changes) {
    const issuer = stemOf(path);
    const move = moves.get(issuer) ?? { before: before.map(() => NO_VALUES), after: NO_VALUES };
    move.before = before.map((id, parent) =>
      id === undefined ? (move.before[parent] ?? NO_VALUES) : valuesOf(id),
    );
    if (after !== undefined) move.after = valuesOf(after);
    moves.set(issuer, move);
  }
  return [...moves].flatMap(([issuer, { before, after }]) =>
    FIELDS.filter((field) => before.every((values) => values[field] !== after[field])).map((field) => ({
      ...commit,
      issuer,
      field,
      from: before[0]?.[field],
      to: after[field],
    })),
  );
}
