import { GRAMMAR } from '../generated/schemas.js';

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
  const { pattern, maxLength } = GRAMMAR.dateTime;
  if (text.length > maxLength || !pattern.test(text)) return false;
  const number = (from: number, to: number) => Number(text.slice(from, to));
  if (number(8, 10) > daysInMonth(number(0, 4), number(5, 7))) return false;
  return number(17, 19) < 60 || minuteOfDayUtc(text) === 23 * 60 + 59;
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
  return GRAMMAR.utcSecond.pattern.test(text) && isDateTime(text);
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

function daysInMonth(year: number, month: number): number {
  const leap = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  if (month === 2) return leap ? 29 : 28;
  return [4, 6, 9, 11].includes(month) ? 30 : 31;
}

function minuteOfDayUtc(text: string): number {
  const local = Number(text.slice(11, 13)) * 60 + Number(text.slice(14, 16));
  const [, sign, hours, minutes] = /([+-])([0-9]{2}):([0-9]{2})$/.exec(text) ?? [];
  const offset = (Number(hours ?? 0) * 60 + Number(minutes ?? 0)) * (sign === '-' ? -1 : 1);
  return (local - offset + 2 * 24 * 60) % (24 * 60);
}
