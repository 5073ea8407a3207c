import type { AnyEntry, PublicationEntry } from '@passport-registry/verifier/internal';

/** Where a log stands after some entries: what the next one must continue. */
export interface LogOrder {
  readonly publication: PublicationEntry | undefined;
  /** The sequence of the newest publication under the root key in force. */
  readonly sequence: number | undefined;
  /** The `iat` of the newest delegation by the root key in force, in seconds since 1970. */
  readonly delegatedAt: number | undefined;
  /** The number of the newest rotation step. */
  readonly step: number | undefined;
}

/** The order before the first entry. */
export const LOG_START: LogOrder = {
  publication: undefined,
  sequence: undefined,
  delegatedAt: undefined,
  step: undefined,
};

/** Returns where a log stands after an entry. */
export function passEntry(order: LogOrder, entry: AnyEntry): LogOrder {
  if (entry.type === 'publication') return { ...order, publication: entry, sequence: entry.sequence };
  if (entry.type === 'delegation') return { ...order, delegatedAt: entry.iat };
  if (entry.type === 'unknown') return order;
  return { ...order, step: entry.step, sequence: undefined, delegatedAt: undefined };
}

/**
 * Returns in which ways an entry may not follow the entries before it, in words (rule log-order). A rotation lets the
 * sequence and the delegations begin anew, but never the lists.
 */
export function orderProblems(entry: AnyEntry, order: LogOrder): string[] {
  if (entry.type === 'publication') return publicationProblems(entry, order);
  if (entry.type === 'delegation') {
    return entry.iat < (order.delegatedAt ?? 0) ? ['the delegation is older than the one before'] : [];
  }
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

/**
 * Whether a publication statement names the publication before it in the log. The one before the first in the log is not in
 * the log.
 *
 * @param previous - the claim of the statement
 * @param before - the publication before it in the log
 */
export function followsInLog(previous: unknown, before: PublicationEntry | undefined): boolean {
  return before === undefined || previous === before.sha256;
}

/** What a publication statement in a log promises to verifiers. */
export interface Promises {
  readonly sequence: number;
  /** The thumbprint of the root key that signed it. */
  readonly kid: string | undefined;
  /** Whether the registry has checkpoints. */
  readonly checkpoint: boolean;
  readonly log: { readonly origin: string } | undefined;
}

/**
 * Returns which promises a publication statement in a log breaks, in words (rule log-order). Verifiers refuse a
 * statement that breaks a promise of one that they have accepted, so nobody may publish it.
 *
 * @param before - the publication before it in the log. Undefined if it is the first, or is not known
 */
export function brokenPromises(next: Promises, before: Promises | undefined): string[] {
  const name = `publication ${next.sequence}`;
  const problems: string[] = [];
  if (next.log === undefined) problems.push(`${name} names no log`);
  if (before === undefined) return problems;
  if (next.kid === before.kid && before.checkpoint && !next.checkpoint) {
    problems.push(`${name} no longer promises checkpoints`);
  }
  if (before.log !== undefined && next.log !== undefined && before.log.origin !== next.log.origin) {
    problems.push(`${name} names the log ${next.log.origin}`);
  }
  return problems;
}
