import type { Clock } from '../core/bytes/clock.js';

/** A clock that is read at each check, because requests may lie between two checks. */
export interface RunningClock {
  /** Returns the current time in milliseconds since 1970. */
  readonly now: () => number;
  /** The tolerance in milliseconds. */
  readonly tolerance: number;
}

/** Reads a clock. */
export function timeOf({ now, tolerance }: RunningClock): Clock {
  return { now: now(), tolerance };
}
