import { isValidDateTime, isValidUtcSecond } from '../generated/predicates.js';

/** The last instant that a `Date` can represent, in milliseconds since 1970. Later instants are clamped to this one. */
export const MAX_DATE_MS = 8.64e15;

/** Formats a time, RFC 3339. @param milliseconds - since 1970 */
export function formatTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString().replace('.000Z', 'Z');
}

/**
 * Returns whether a string is an RFC 3339 date-time (section 5.6) that exists in the calendar. A leap second is valid
 * only at 23:59:60 UTC (section 5.7; docs/protocol.md#date-time).
 *
 * @example
 * ```ts
 * import { isDateTime } from '@passport-registry/verifier/core';
 *
 * console.log(isDateTime('2026-02-28T00:00:00Z'), isDateTime('2026-02-30T00:00:00Z')); // true false
 * ```
 */
export function isDateTime(text: string): boolean {
  return isValidDateTime(text);
}

/**
 * Returns whether a string is a valid `updated_at` (docs/protocol.md#list-time): UTC in whole seconds, with a final Z,
 * on a day that exists in the calendar.
 *
 * @example
 * ```ts
 * import { isUpdatedAt } from '@passport-registry/verifier/core';
 *
 * console.log(isUpdatedAt('2026-11-21T08:00:00Z'), isUpdatedAt('2026-11-21T08:00:00+00:00')); // true false
 * ```
 */
export function isUpdatedAt(text: string): boolean {
  return isValidUtcSecond(text);
}

/**
 * Converts an RFC 3339 date-time to milliseconds since 1970. A leap second counts as the following second.
 *
 * @param text - a date-time that {@link isDateTime} accepts
 */
export function instantOf(text: string): number {
  const upper = text.toUpperCase();
  const leap = upper.slice(17, 19) === '60';
  return leap ? Date.parse(`${upper.slice(0, 17)}59${upper.slice(19)}`) + 1000 : Date.parse(upper);
}
