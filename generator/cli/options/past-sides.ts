import { RegistryError } from '@passport-registry/verifier';
import { TreeRejected, UsageError } from '../../errors.js';
import { openHistory } from '../../past/history.js';
import { readListAt } from '../../past/list-at.js';
import { type RecordSet, recordsOfList } from '../../records/check-records.js';
import type { Io } from '../terminal/io.js';
import { say } from '../terminal/output.js';
import { PUBLISHERS_WORD } from '../terminal/say-past.js';
import { pastTime } from './time-option.js';
import { loadTrust } from './trust-option.js';
import { sourceAt } from './where.js';

/** The lists of one registry that `diff --at A --at B` compares. */
export interface PastSides {
  readonly at: readonly string[];
  readonly rootKey: string | undefined;
}

/**
 * Reads the lists of a registry that were in force at two times.
 *
 * @param where - the folder of a tree, or a URL
 * @throws {@link UsageError} | {@link IoFailed} | {@link TreeRejected} | {@link KeyRejected}
 */
export async function readPastSides(
  io: Io,
  where: string,
  { at, rootKey }: PastSides,
): Promise<{ readonly before: RecordSet; readonly after: RecordSet }> {
  const times = at.map((text) => pastTime('--at', text));
  const [first, second] = times;
  if (first === undefined || second === undefined || times.length > 2) {
    throw new UsageError('diff compares the lists of two times: pass --at twice');
  }
  if (rootKey === undefined)
    throw new UsageError('--at needs --root-key: the past is verified from a key that you trust');
  try {
    const history = await openHistory(sourceAt(where), await loadTrust(io, rootKey));
    const [before, after] = [await readListAt(history, first), await readListAt(history, second)];
    if (before.evidence === 'publisher') say(io, `note: ${PUBLISHERS_WORD}`);
    return { before: recordsOfList(before.registry.issuers), after: recordsOfList(after.registry.issuers) };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    throw new TreeRejected(`${error.code}: ${error.message}`, { cause: error });
  }
}
