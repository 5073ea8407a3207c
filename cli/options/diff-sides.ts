import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../../generator/errors.js';
import type { RecordSet } from '../../generator/records/check-records.js';
import { onlyIssuersOf } from '../../generator/review/difference.js';
import { recordsIn, recordsOfRevisions, recordsPublished } from '../../generator/review/record-set.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { Io } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { type PastSide, readPastSides } from './past-sides.js';
import { defaultRecordPaths, isRecordFile, RECORDS_FOLDER } from './record-paths.js';
import { loadTrust } from './trust-option.js';
import { isAddress, isFolder } from './where.js';

/** The records before and after a change. */
export interface Sides {
  readonly before: RecordSet;
  readonly after: RecordSet;
  /** Whether record files, and not a whole folder, are compared. Other issuers have then not been removed. */
  readonly isPartial: boolean;
  /** The publications of the two times of `--at`. */
  readonly past?: readonly PastSide[];
}

/** What to compare, as on the command line. */
export interface SidesOptions {
  readonly issuers?: string;
  readonly rootKey?: string;
  /** Two times whose lists are compared. */
  readonly at?: readonly string[];
}

/** The arguments that name what to compare. */
export type Compared = readonly [before: string, after: string | undefined];

/**
 * Reads the records that `diff` compares.
 *
 * @throws {@link UsageError} | {@link IoFailed} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readSides(io: Io, [first, second]: Compared, options: SidesOptions): Promise<Sides> {
  if (options.at !== undefined) {
    if (second !== undefined)
      throw new UsageError('--at compares two lists of one registry: leave out the second side');
    const { at, rootKey } = options;
    return { ...(await readPastSides(io, first, { at, rootKey })), isPartial: false };
  }
  if (isRecordFile(first)) {
    throw new UsageError(
      `${first} is a record: first name what to compare it with, such as \`diff https://registry.example ${first}\``,
    );
  }
  if (!isAddress(first) && !isFolder(first))
    return { ...readCommits(io, [first, second], options), isPartial: false };
  const paths = second === undefined ? recordPaths(options) : [second];
  const before = await recordsAt(io, first, options.rootKey);
  if (!paths.every(isRecordFile)) {
    return { before, after: await recordsAt(io, paths[0] ?? '', options.rootKey), isPartial: false };
  }
  const after = recordsIn(paths);
  return { before: onlyIssuersOf(before, after), after, isPartial: true };
}

function recordPaths({ issuers }: SidesOptions): readonly string[] {
  return issuers === undefined ? defaultRecordPaths() : [issuers];
}

function readCommits(
  { env }: Io,
  [first, second]: Compared,
  { issuers = RECORDS_FOLDER }: SidesOptions,
): Pick<Sides, 'before' | 'after'> {
  const isNeither = `${first} is neither a folder nor an http(s) URL`;
  if (second !== undefined) throw new UsageError(`${isNeither}; write commits as A..B, without spaces`);
  try {
    return recordsOfRevisions(first, issuers, env);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(
      `${isNeither}, and git cannot compare with it: ${cause.message}. Name a folder, the URL of a registry, or commits of this repository such as main or A..B`,
      { cause },
    );
  }
}

async function recordsAt(io: Io, where: string, rootKey: string | undefined): Promise<RecordSet> {
  if (!isAddress(where) && !existsSync(join(where, PATHS.list))) return recordsIn([where]);
  if (rootKey === undefined)
    say(
      io,
      `note: without --root-key, the list of ${where} is verified with the key that is published next to the list`,
    );
  return recordsPublished(where, rootKey === undefined ? undefined : await loadTrust(io, rootKey));
}
