import type { AnyEntry, PublicationEntry } from '../log/log-entry.js';
import type { PublicationStatement } from '../statements/publication-statement.js';

/** Where a log stands after some entries: what the next one must continue (rule log-order). */
export interface LogOrder {
  readonly publication?: PublicationEntry | undefined;
  /** The sequence of the newest publication under the root key in force. */
  readonly sequence?: number | undefined;
  /** The number of the newest rotation step. */
  readonly step?: number | undefined;
  /** How many rotation steps the log has. */
  readonly steps: number;
}

/** Returns the order after an entry. */
export function orderAfter(order: LogOrder, entry: AnyEntry): LogOrder {
  if (entry.type === 'publication') return { ...order, publication: entry, sequence: entry.sequence };
  if (entry.type === 'unknown') return order;
  return { publication: order.publication, step: entry.step, steps: order.steps + 1 };
}

/**
 * Returns in which ways an entry may not follow the entries before it, in words. A rotation lets the sequence
 * begin anew, but never the lists.
 */
export function orderProblems(entry: AnyEntry, order: LogOrder): string[] {
  if (entry.type === 'publication') return publicationProblems(entry, order);
  if (entry.type === 'unknown' || order.step === undefined || entry.step === order.step + 1) return [];
  return [`rotation step ${entry.step} follows step ${order.step}`];
}

function publicationProblems(
  { sequence, updated_at, list }: PublicationEntry,
  { publication: before, sequence: last }: LogOrder,
): string[] {
  const name = `publication ${sequence}`;
  const problems: string[] = [];
  if (last !== undefined && sequence <= last) problems.push(`${name} follows publication ${last}`);
  if (before === undefined) return problems;
  if (updated_at < before.updated_at) {
    problems.push(
      `the list of ${name} is dated ${updated_at}, but the one before is dated ${before.updated_at}`,
    );
  }
  if (updated_at === before.updated_at && list !== before.list) {
    problems.push(`the list of ${name} differs from the one before, but has the same date ${updated_at}`);
  }
  return problems;
}

/** What a publication statement in a log promises to verifiers. */
export type PublicationPromises = Pick<PublicationStatement, 'log'>;

/**
 * Returns in which ways a publication statement may not follow the statements before it, in words. Verifiers refuse a
 * statement that breaks a promise of one that they have accepted, so nobody may publish it.
 *
 * @param before - the entry of the publication before it. Undefined in the first one, which may name any as the previous one
 * @param promised - the newest publication statement before it that was read
 */
export function statementProblems(
  { sequence, previous, log }: PublicationStatement,
  before: PublicationEntry | undefined,
  promised: PublicationPromises | undefined,
): string[] {
  const name = `publication ${sequence}`;
  const problems: string[] = [];
  if (before !== undefined && previous[0] !== before.sha256) {
    problems.push(
      `${name} does not follow the publication before it in the log, but ${previous[0] ?? 'names none'}`,
    );
  }
  if (log === undefined) problems.push(`${name} names no log`);
  const origin = promised?.log?.origin;
  if (log !== undefined && log.origin !== (origin ?? log.origin)) {
    problems.push(`${name} names the log ${log.origin}, but the log is ${origin}`);
  }
  return problems;
}
