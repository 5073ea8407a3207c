/** A clock and its tolerance. */
export interface TolerantClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds. */
  readonly tolerance: number;
}

/** Whether a time in milliseconds has passed, tolerance included. */
export function hasPassed(time: number, { now, tolerance }: TolerantClock): boolean {
  return !(now() < time + tolerance);
}

/** Whether a time in milliseconds is in the future, tolerance included. */
export function isToCome(time: number, { now, tolerance }: TolerantClock): boolean {
  return !(time <= now() + tolerance);
}
