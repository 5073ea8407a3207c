import { isValidDateTime, isValidUtcSecond } from '../generated/predicates.js';

/** The last instant that a `Date` can hold, in milliseconds since 1970: later instants are clamped to it. */
export const MAX_DATE_MS = 8.64e15;

/**
 * Whether a text is an RFC 3339 date-time (section 5.6) on a day that the calendar has. A leap second is valid only
 * at 23:59:60 UTC (section 5.7).
 *
 * @example
 * ```ts
 * import { isDateTime } from '@passport-registry/verifier';
 *
 * console.log(isDateTime('2026-02-28T00:00:00Z'), isDateTime('2026-02-30T00:00:00Z')); // true false
 * ```
 */
export function isDateTime(text: string): boolean {
  return isValidDateTime(text);
}

/**
 * Whether a text is an `updated_at` (SPEC B1): UTC to the second, ending in Z, on a day that the calendar has.
 *
 * @example
 * ```ts
 * import { isUpdatedAt } from '@passport-registry/verifier';
 *
 * console.log(isUpdatedAt('2026-11-21T08:00:00Z'), isUpdatedAt('2026-11-21T08:00:00+00:00')); // true false
 * ```
 */
export function isUpdatedAt(text: string): boolean {
  return isValidUtcSecond(text);
}

/**
 * The instant that an RFC 3339 date-time names, in milliseconds since 1970; a leap second counts as the second after it.
 *
 * @param text - one that {@link isDateTime} accepts
 */
export function instantOf(text: string): number {
  const upper = text.toUpperCase();
  const leap = upper.slice(17, 19) === '60';
  return leap ? Date.parse(`${upper.slice(0, 17)}59${upper.slice(19)}`) + 1000 : Date.parse(upper);
}
