import type { IssuerRegistry } from '@passport-registry/verifier';
import { formatTime } from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { findAt, type InForce } from './at-time.js';
import { type History, readKeptList } from './history.js';
import { type DatedPublication, dated } from './past-record.js';

/** A list that was in force at a time. */
export interface ListAt extends Pick<InForce, 'evidence'> {
  readonly registry: IssuerRegistry;
  /** Its publication, and when that was in force. */
  readonly publication: DatedPublication;
}

/**
 * Reads the list that was in force at a time.
 *
 * @param time - milliseconds since 1970
 * @throws {@link TreeRejected} if nothing shows which list it was, or if it has not been kept; {@link IoFailed}; the errors of
 *   the verifier
 */
export async function readListAt(history: History, time: number): Promise<ListAt> {
  const found = await findAt(history, time);
  if (found.evidence === 'none') {
    const { before, after } = found;
    const nearest = [
      ...(before === undefined ? [] : [`until ${formatUpdatedAt(before.until)}`]),
      ...(after === undefined ? [] : [`from ${formatUpdatedAt(after.from)}`]),
    ];
    throw new TreeRejected(
      `nothing proves which list of ${history.source.name} was in force at ${formatTime(time)}: ` +
        (nearest.length === 0
          ? 'the log proves no time'
          : `the nearest lists are proven ${nearest.join(' and ')}`),
    );
  }
  const { evidence, publication } = found;
  const registry = await readKeptList(history.source, publication.statement);
  return { evidence, registry, publication: dated(publication) };
}
