import { RegistryError } from '@passport-registry/verifier';
import { formatTime } from '@passport-registry/verifier/core';
import { TreeRejected, UsageError } from '../../generator/errors.js';
import { type RecordSet, recordsOfList } from '../../generator/records/check-records.js';
import { openHistory } from '../../observers/past/history.js';
import { type ListAt, readListAt } from '../../observers/past/list-at.js';
import type { Dated } from '../../observers/past/said.js';
import type { Io } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { PUBLISHERS_WORD, sayDated } from '../terminal/say-past.js';
import { pastTime } from './time-option.js';
import { loadTrust } from './trust-option.js';
import { sourceAt } from './where.js';

/** The lists of one registry that `diff --at A --at B` compares. */
export interface PastSides {
  readonly at: readonly string[];
  readonly rootKey: string | undefined;
}

/** A list of the past that was compared, as data. */
export interface PastSide extends Dated, Pick<ListAt, 'evidence'> {
  /** The time that was asked for, RFC 3339. */
  readonly at: string;
}

/** The records of two times, and which publications they are from. */
export interface ComparedPast {
  readonly before: RecordSet;
  readonly after: RecordSet;
  readonly past: readonly PastSide[];
}

/**
 * Reads the lists of a registry that were in force at two times, and says between which times that is proven.
 *
 * @param where - the folder of a tree, or a URL
 * @throws {@link UsageError} | {@link IoFailed} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readPastSides(
  io: Io,
  where: string,
  { at, rootKey }: PastSides,
): Promise<ComparedPast> {
  const times = at.map((text) => pastTime('--at', text));
  const [first, second] = times;
  if (first === undefined || second === undefined || times.length > 2) {
    throw new UsageError('diff compares the lists of two times: pass --at twice');
  }
  if (first > second) throw new UsageError('the first --at must not be later than the second');
  if (rootKey === undefined)
    throw new UsageError('--at needs --root-key: the past is verified from a key that you trust');
  try {
    const history = await openHistory(sourceAt(where), await loadTrust(io, rootKey));
    const [before, after] = [await readListAt(history, first), await readListAt(history, second)];
    if (before.evidence === 'publisher') say(io, `note: ${PUBLISHERS_WORD}`);
    const past = [sideOf(io, first, before), sideOf(io, second, after)];
    return {
      before: recordsOfList(before.registry.issuers),
      after: recordsOfList(after.registry.issuers),
      past,
    };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new TreeRejected(`${error.code}: ${error.message}`, { cause: error });
  }
}

/** Prints which list was in force at a time. @returns the same as data */
function sideOf(io: Io, time: number, { evidence, publication }: ListAt): PastSide {
  const at = formatTime(time);
  say(io, `the list of ${at}`);
  sayDated(io, publication);
  return { at, evidence, ...publication };
}
