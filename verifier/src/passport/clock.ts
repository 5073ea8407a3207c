/** A clock, and how much others may differ from it. */
export interface TolerantClock {
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** Milliseconds. */
  readonly tolerance: number;
}

/** Whether a time in milliseconds has passed, even for clocks that are behind. */
export function hasPassed(time: number, { now, tolerance }: TolerantClock): boolean {
  return !(now() < time + tolerance);
}

/** Whether a time in milliseconds is yet to come, even for clocks that are ahead. */
export function isToCome(time: number, { now, tolerance }: TolerantClock): boolean {
  return !(time <= now() + tolerance);
}
