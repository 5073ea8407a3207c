/** A day in milliseconds. */
export const DAY_MS = 24 * 60 * 60 * 1000;

/** The default tolerance for clocks that are wrong (rule clocks). */
export const CLOCK_TOLERANCE_MS = 5 * 60 * 1000;

/** The maximum age of a cosignature that counts towards a quorum (rule log-quorum). */
export const COSIGNATURE_AGE_MS = 30 * DAY_MS;

/** The current time, and the tolerance for the clocks of others. */
export interface Clock {
  /** The current time, in milliseconds since 1970. */
  readonly now: number;
  /** The tolerance in both directions, in milliseconds. */
  readonly tolerance: number;
}

/**
 * Returns the end of every error about a time. It shows the time of this machine, whose clock may be the one that is wrong.
 *
 * @param now - in milliseconds since 1970
 */
export function clockNote(now: number): string {
  const text = Math.abs(now) <= 8.64e15 ? new Date(now).toISOString().replace(/\.\d+/, '') : 'no time';
  return `(the clock of this machine says ${text}: check whether it is right)`;
}

/**
 * Returns whether a time in milliseconds is in the past, beyond the tolerance. With a clock that returns NaN, every time is
 * both in the past and in the future, so that nothing is accepted.
 */
export function hasPassed(time: number, { now, tolerance }: Clock): boolean {
  return !(now < time + tolerance);
}

/** Returns whether a time in milliseconds is in the future, beyond the tolerance, or the clock returns NaN. */
export function isToCome(time: number, { now, tolerance }: Clock): boolean {
  return !(time <= now + tolerance);
}
