import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { formatTime } from '@passport-registry/verifier/core';
import { UsageError } from '../../generator/errors.js';
import { type RecordSet, recordsOfList } from '../../generator/records/check-records.js';
import { onlyIssuersOf } from '../../generator/review/difference.js';
import { recordsIn, recordsOfRevisions, recordsPublished } from '../../generator/review/record-set.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rejecting } from '../../generator/verification/seen-files.js';
import { type PastList, type PastPublication, readListAt } from '../../observers/past/answer.js';
import { openHistory } from '../../observers/past/history.js';
import { defaultRecordPaths, isRecordFile, RECORDS_FOLDER } from '../options/named-records.js';
import { loadTrust, trustFile, type WithTrust } from '../options/trust-option.js';
import { isAddress, isFolder, pastTime, sourceAt } from '../options/values.js';
import { type Io, say } from '../terminal/io.js';

/** The records before and after a change. */
export interface Sides {
  readonly before: RecordSet;
  readonly after: RecordSet;
  /** Whether record files, and not a whole folder, are compared. Other issuers have then not been removed. */
  readonly isPartial: boolean;
  /** The publications of the two times of `--at`. */
  readonly past?: readonly PastSide[];
}

/** A list of the past that was compared, as data. */
interface PastSide extends PastPublication {
  /** The time that was asked for, RFC 3339. */
  readonly at: string;
}

/** What to compare, as on the command line. */
interface SidesOptions extends WithTrust {
  readonly issuers?: string;
  /** Two times whose lists are compared. */
  readonly at?: readonly string[];
}

/** The arguments that name what to compare. */
export type SideArguments = readonly [before: string, after: string | undefined];

/**
 * Reads the records that `diff` compares.
 *
 * @throws {@link UsageError} | {@link IoFailed} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readSides(
  io: Io,
  [first, second]: SideArguments,
  options: SidesOptions,
): Promise<Sides> {
  if (options.at !== undefined) {
    if (second !== undefined)
      throw new UsageError('--at compares two lists of one registry: leave out the second side');
    return readPastSides(io, first, options);
  }
  if (isRecordFile(first)) {
    throw new UsageError(
      `${first} is a record: first name what to compare it with, such as \`diff https://registry.example ${first}\``,
    );
  }
  if (!isAddress(first) && !isFolder(first))
    return { ...readCommits(io, [first, second], options), isPartial: false };
  const { issuers } = options;
  const folder = second ?? issuers;
  const paths = folder === undefined ? defaultRecordPaths() : [folder];
  const trust = trustFile(options);
  const before = await recordsAt(io, first, trust);
  if (!paths.every(isRecordFile)) {
    return { before, after: await recordsAt(io, paths[0] ?? '', trust), isPartial: false };
  }
  const after = recordsIn(paths);
  return { before: onlyIssuersOf(before, after), after, isPartial: true };
}

function readCommits(
  { env }: Io,
  [first, second]: SideArguments,
  { issuers = RECORDS_FOLDER }: SidesOptions,
): Pick<Sides, 'before' | 'after'> {
  if (second !== undefined) {
    throw new UsageError(
      `${first} is neither a folder nor an http(s) URL; write commits as A..B, without spaces`,
    );
  }
  try {
    return recordsOfRevisions(first, issuers, env);
  } catch (cause) {
    if (!(cause instanceof UsageError)) throw cause;
    throw new UsageError(
      `${first} is neither a folder, nor an http(s) URL, nor commits of this repository such as A..B: ${cause.message}`,
      { cause },
    );
  }
}

/** @param trust - the file of the trust anchor or of the root key */
async function recordsAt(io: Io, where: string, trust: string | undefined): Promise<RecordSet> {
  if (!isAddress(where) && !existsSync(join(where, PATHS.list))) return recordsIn([where]);
  if (trust !== undefined) return recordsPublished(where, await loadTrust(io, trust));
  say(
    io,
    `note: without --trust-anchor, the list of ${where} is verified with the key that is published beside it`,
  );
  return recordsPublished(where, undefined);
}

/**
 * Reads the lists of a registry that were in force at two times, and says which ones.
 *
 * @param where - the folder of a tree, or a URL
 * @throws {@link UsageError} | {@link IoFailed} | {@link TreeRejected} | {@link KeyRejected}
 */
async function readPastSides(io: Io, where: string, options: SidesOptions): Promise<Sides> {
  const { at = [] } = options;
  const times = at.map((text) => pastTime('--at', text));
  const [first, second] = times;
  if (first === undefined || second === undefined || times.length > 2) {
    throw new UsageError('diff compares the lists of two times: pass --at twice');
  }
  if (first > second) throw new UsageError('the first --at must not be later than the second');
  const file = trustFile(options);
  if (file === undefined)
    throw new UsageError('--at needs --trust-anchor, from which the lists of the past are verified');
  const trust = await loadTrust(io, file);
  return rejecting(async () => {
    const history = await openHistory(sourceAt(where), trust);
    const before = await readListAt(history, first);
    const after = await readListAt(history, second);
    const past = [sideOf(first, before), sideOf(second, after)];
    return {
      before: recordsOfList(before.registry.issuers),
      after: recordsOfList(after.registry.issuers),
      past,
      isPartial: false,
    };
  });
}

/** Returns which list was in force at a time, as data. */
function sideOf(time: number, { publication }: PastList): PastSide {
  return { at: formatTime(time), ...publication };
}
