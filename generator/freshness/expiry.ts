import {
  clockNote,
  DAY_MS,
  hasPassed,
  isToCome,
  type Statement,
  validFrom,
} from '@passport-registry/verifier/core';
import { clockAt, formatUpdatedAt } from '../list/updated-at.js';

/** The notice before a delegation expires, in days. A new delegation needs the root key, which is offline. */
const DELEGATION_NOTICE_DAYS = 14;
/** The notice before a checkpoint expires, as a share of its lifetime. */
const CHECKPOINT_NOTICE_SHARE = 0.25;

/** The times of a statement, in milliseconds since 1970. */
type StatementTerm = Pick<Statement, 'issuedAt' | 'notBefore' | 'expiresAt'>;

/** Whether a statement is valid now. */
export type Validity = 'ahead of time' | 'expired' | 'expires soon' | 'valid';

/** Returns whether a checkpoint is valid, with the clock tolerance of a verifier. */
export function checkpointValidity(times: StatementTerm, now: number): Validity {
  const { issuedAt, expiresAt } = times;
  return validity(times, expiresAt - (expiresAt - issuedAt) * CHECKPOINT_NOTICE_SHARE, now);
}

/** Returns whether a delegation is valid, with the clock tolerance of a verifier. */
export function delegationValidity(times: StatementTerm, now: number): Validity {
  return validity(times, times.expiresAt - DELEGATION_NOTICE_DAYS * DAY_MS, now);
}

function validity(times: StatementTerm, noticeAt: number, now: number): Validity {
  if (aheadOfTime('it', times, now).length > 0) return 'ahead of time';
  if (hasPassed(times.expiresAt, clockAt(now))) return 'expired';
  return now >= noticeAt ? 'expires soon' : 'valid';
}

/**
 * Checks the times of a checkpoint and of its delegation.
 *
 * @param now - the current time, in milliseconds since 1970
 * @returns messages about those that are not valid now, and about those that expire soon
 */
export function expiryOf(
  checkpoint: StatementTerm,
  delegation: StatementTerm | undefined,
  now: number,
): { readonly problems: readonly string[]; readonly soon: readonly string[] } {
  const problems: string[] = [];
  const soon: string[] = [];
  const report = (name: string, times: StatementTerm, found: Validity) => {
    const end = formatUpdatedAt(times.expiresAt);
    problems.push(...aheadOfTime(name, times, now));
    if (found === 'expired') problems.push(`${name} expired at ${end} ${clockNote(now)}`);
    if (found === 'expires soon')
      soon.push(`${name} expires at ${end}, in ${formatDuration(times.expiresAt - now)}`);
  };
  report('the checkpoint', checkpoint, checkpointValidity(checkpoint, now));
  if (delegation !== undefined) {
    report('the delegation', delegation, delegationValidity(delegation, now));
    soon.push(...endWithDelegation(checkpoint, delegation, now));
  }
  return { problems, soon };
}

/** Reports a checkpoint that ends with its delegation, and so earlier than its operator may expect. */
export function endWithDelegation(
  checkpoint: Pick<StatementTerm, 'expiresAt'>,
  { expiresAt }: Pick<StatementTerm, 'expiresAt'>,
  now: number,
): string[] {
  if (checkpoint.expiresAt < expiresAt || now >= expiresAt) return [];
  return [
    `the checkpoint is valid only until ${formatUpdatedAt(expiresAt)}, when its delegation expires: publish a new delegation before then`,
  ];
}

/** Reports a statement that is ahead of the clock by more than the tolerance. */
export function aheadOfTime(
  name: string,
  times: Pick<StatementTerm, 'issuedAt' | 'notBefore'>,
  now: number,
): string[] {
  const from = validFrom(times);
  return isToCome(from, clockAt(now))
    ? [`${name} is valid from ${formatUpdatedAt(from)}, which is in the future ${clockNote(now)}`]
    : [];
}

/** Formats a duration in words, such as `9 days`. */
export function formatDuration(milliseconds: number): string {
  const hours = Math.max(0, milliseconds) / (60 * 60 * 1000);
  const unit = hours < 1 ? 'minute' : hours < 48 ? 'hour' : 'day';
  const count = Math.floor(hours < 1 ? hours * 60 : hours < 48 ? hours : hours / 24);
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
