import { decodeJwt } from 'jose';
import { formatUpdatedAt } from './updated-at.js';

/** Before a delegation ends, so many days ahead it is said: a new one takes the root key, which is offline. */
const DELEGATION_NOTICE_DAYS = 14;
/** Of a checkpoint it is said when less than this share of its time is left. */
const CHECKPOINT_NOTICE_SHARE = 0.25;

const DAY = 24 * 60 * 60 * 1000;

/** What has expired, and what soon will, in words. */
export interface Expiry {
  readonly expired: readonly string[];
  readonly soon: readonly string[];
}

/**
 * Looks at the times of a checkpoint and of the delegation that it rests on; both have been verified.
 *
 * @param now - milliseconds since 1970
 */
export function expiryOf(checkpoint: string, delegation: string | undefined, now: number): Expiry {
  const expired: string[] = [];
  const soon: string[] = [];
  const look = (what: string, text: string, noticeAt: (from: number, to: number) => number) => {
    const { iat = 0, exp = 0 } = decodeJwt(text);
    const [from, to] = [iat * 1000, exp * 1000];
    const end = formatUpdatedAt(to);
    if (to <= now) expired.push(`${what} expired at ${end}`);
    else if (now >= noticeAt(from, to)) soon.push(`${what} expires at ${end}, in ${inWords(to - now)}`);
  };
  look('the checkpoint', checkpoint, (from, to) => to - (to - from) * CHECKPOINT_NOTICE_SHARE);
  if (delegation !== undefined)
    look('the delegation', delegation, (_from, to) => to - DELEGATION_NOTICE_DAYS * DAY);
  return { expired, soon };
}

function inWords(milliseconds: number): string {
  const hours = milliseconds / (60 * 60 * 1000);
  if (hours < 1) return `${Math.floor(hours * 60)} minutes`;
  return hours < 48 ? `${Math.floor(hours)} hours` : `${Math.floor(hours / 24)} days`;
}
