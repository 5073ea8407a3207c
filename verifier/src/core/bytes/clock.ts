/** A day in milliseconds. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** How far clocks may be wrong, unless a caller says otherwise (rule clocks). */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** How old a cosignature may be that a quorum counts (rule log-quorum). */
export const COSIGNATURE_AGE_MS = 30 * DAY_MS;

/** The current time, and the tolerance for the clocks of others. */
export interface Clock {
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** The tolerance in both directions, in milliseconds. */
  readonly tolerance: number;
}

/**
 * Returns what each error of time says of the clock with which a time was compared: the clock of this machine may be the one
 * that is wrong.
 *
 * @param now - in milliseconds since 1970
 */
export function clockNote(now: number): string {
  const text = Math.abs(now) <= 8.64e15 ? new Date(now).toISOString().replace(/\.\d+/, '') : 'no time';
  return `(the clock of this machine says ${text}: check whether it is right)`;
}

/**
 * Returns whether a time in milliseconds is in the past, beyond the tolerance. For a clock that tells no time (NaN), each
 * time has passed and is to come, so that nothing is accepted.
 */
export function hasPassed(time: number, { now, tolerance }: Clock): boolean {
  return !(now < time + tolerance);
}

/** Returns whether a time in milliseconds is in the future, beyond the tolerance. Also for a clock that tells no time. */
export function isToCome(time: number, { now, tolerance }: Clock): boolean {
  return !(time <= now + tolerance);
}
