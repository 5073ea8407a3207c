/** A clock, and the tolerance for the clocks of others. */
export interface TolerantClock {
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** The tolerance in milliseconds. */
  readonly tolerance: number;
}

/** Returns whether a time in milliseconds is in the past, beyond the tolerance. */
export function hasPassed(time: number, { now, tolerance }: TolerantClock): boolean {
  return !(now() < time + tolerance);
}

/** Returns whether a time in milliseconds is in the future, beyond the tolerance. */
export function isToCome(time: number, { now, tolerance }: TolerantClock): boolean {
  return !(time <= now() + tolerance);
}
