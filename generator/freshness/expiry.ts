import type { Statement } from '@passport-registry/verifier/internal';
import { CLOCK_TOLERANCE_MS, formatUpdatedAt } from '../list/updated-at.js';

/** Before a delegation ends, so many days ahead it is said: a new one takes the root key, which is offline. */
const DELEGATION_NOTICE_DAYS = 14;
/** Of a checkpoint it is said when less than this share of its time is left. */
const CHECKPOINT_NOTICE_SHARE = 0.25;

const DAY_MS = 24 * 60 * 60 * 1000;

/** The times of a statement, in milliseconds since 1970. */
export type StatementTimes = Pick<Statement, 'issuedAt' | 'notBefore' | 'expiresAt'>;

/** What has expired or is yet to come, and what soon will expire, in words. */
export interface Expiry {
  readonly problems: readonly string[];
  readonly soon: readonly string[];
}

/**
 * Judges the times of a checkpoint and of the delegation that it rests on, with the tolerance of a verifier.
 *
 * @param now - milliseconds since 1970
 */
export function expiryOf(
  checkpoint: StatementTimes,
  delegation: StatementTimes | undefined,
  now: number,
): Expiry {
  const problems: string[] = [];
  const soon: string[] = [];
  const look = (what: string, times: StatementTimes, noticeAt: number) => {
    const end = formatUpdatedAt(times.expiresAt);
    problems.push(...aheadOfTime(what, times, now));
    if (now >= times.expiresAt + CLOCK_TOLERANCE_MS) problems.push(`${what} expired at ${end}`);
    else if (now >= noticeAt) soon.push(`${what} expires at ${end}, in ${inWords(times.expiresAt - now)}`);
  };
  const { issuedAt, expiresAt } = checkpoint;
  look('the checkpoint', checkpoint, expiresAt - (expiresAt - issuedAt) * CHECKPOINT_NOTICE_SHARE);
  if (delegation !== undefined) {
    look('the delegation', delegation, delegation.expiresAt - DELEGATION_NOTICE_DAYS * DAY_MS);
  }
  return { problems, soon };
}

/** A problem, if a statement is further ahead of the clock than clocks differ. */
export function aheadOfTime(
  what: string,
  { issuedAt, notBefore }: Pick<StatementTimes, 'issuedAt' | 'notBefore'>,
  now: number,
): string[] {
  const from = Math.max(issuedAt, notBefore);
  return from > now + CLOCK_TOLERANCE_MS
    ? [`${what} is valid from ${formatUpdatedAt(from)}, which is in the future`]
    : [];
}

function inWords(milliseconds: number): string {
  const hours = Math.max(0, milliseconds) / (60 * 60 * 1000);
  if (hours < 1) return `${Math.floor(hours * 60)} minutes`;
  return hours < 48 ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`;
}
