import {
  clockNote,
  hasPassed,
  isToCome,
  type OnlineKeys,
  type Statement,
  validFrom,
} from '@passport-registry/verifier/core';
import { clockAt, formatUpdatedAt } from '../list/updated-at.js';
import { endsSoonAt } from './online-keys.js';

/** The notice before a checkpoint expires, as a share of its lifetime. */
const CHECKPOINT_NOTICE_SHARE = 0.25;

/** The times of a statement, in milliseconds since 1970. */
type StatementTerm = Pick<Statement, 'issuedAt' | 'notBefore' | 'expiresAt'>;

/** Whether a statement is valid now. */
export type Validity = 'ahead of time' | 'expired' | 'expires soon' | 'valid';

/** Returns whether a checkpoint is valid, with the clock tolerance of a verifier. */
export function checkpointValidity(times: StatementTerm, now: number): Validity {
  const { issuedAt, expiresAt } = times;
  if (aheadOfTime('it', times, now).length > 0) return 'ahead of time';
  if (hasPassed(expiresAt, clockAt(now))) return 'expired';
  const noticeAt = expiresAt - (expiresAt - issuedAt) * CHECKPOINT_NOTICE_SHARE;
  return now >= noticeAt ? 'expires soon' : 'valid';
}

/**
 * Returns whether online keys may sign, by the clock of this machine.
 *
 * @param issuedAt - when their publication was signed, in milliseconds since 1970
 */
export function onlineKeysValidity(
  online: OnlineKeys,
  issuedAt: number,
  now: number,
): 'over' | 'ends soon' | 'valid' {
  if (now > online.expiresAt) return 'over';
  return now >= endsSoonAt(online, issuedAt) ? 'ends soon' : 'valid';
}

/**
 * Checks the times of a checkpoint.
 *
 * @param now - the current time, in milliseconds since 1970
 * @returns a message if the checkpoint is not valid now, and another one if it expires soon
 */
export function expiryOf(
  checkpoint: StatementTerm,
  now: number,
): { readonly problems: readonly string[]; readonly soon: readonly string[] } {
  const end = formatUpdatedAt(checkpoint.expiresAt);
  switch (checkpointValidity(checkpoint, now)) {
    case 'ahead of time':
      return { problems: aheadOfTime('the checkpoint', checkpoint, now), soon: [] };
    case 'expired':
      return { problems: [`the checkpoint expired at ${end} ${clockNote(now)}`], soon: [] };
    case 'expires soon': {
      const left = formatDuration(checkpoint.expiresAt - now);
      return { problems: [], soon: [`the checkpoint expires at ${end}, in ${left}`] };
    }
    case 'valid':
      return { problems: [], soon: [] };
  }
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
