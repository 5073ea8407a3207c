import { LANGUAGE } from '../texts/en.js';
import { element } from './element.js';

const days = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long', timeZone: 'UTC' });

/** A `time` element that shows the day in words, as it is written in the record. The exact time is its title. */
export function day(dateTime: string): HTMLElement {
  return element('time', { datetime: dateTime, title: dateTime }, dayInWords(dateTime));
}

/** Returns the day of a date-time in words, in the time zone of the date-time. */
export function dayInWords(dateTime: string): string {
  return inWords(dateTime.slice(0, 10), days);
}

/** Formats a time. Returns a text that is no time as it is. */
export function inWords(dateTime: string, format: Intl.DateTimeFormat): string {
  const date = new Date(dateTime);
  return Number.isNaN(date.getTime()) ? dateTime : format.format(date);
}

const UNITS = [
  ['year', 365.25 * 24 * 60 * 60 * 1000],
  ['month', (365.25 / 12) * 24 * 60 * 60 * 1000],
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
  ['second', 1000],
] as const;
const ages = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' });

/** Formats a time relative to now, such as `2 hours ago` or `in 2 hours`. @param timeMs - milliseconds since 1970 */
export function formatAge(timeMs: number): string {
  const isToCome = timeMs > Date.now();
  const [count, unit] = inUnits(Math.abs(Date.now() - timeMs));
  // A text that counts seconds would be wrong a second later.
  if (unit === 'second') return ages.format(0, unit);
  return ages.format(isToCome ? count : -count, unit);
}

/** Returns a duration as a number of the largest unit that it contains. */
export function inUnits(durationMs: number): readonly [number, (typeof UNITS)[number][0]] {
  const [unit, unitMs] = UNITS.find(([, size]) => durationMs >= size) ?? UNITS[5];
  return [Math.floor(durationMs / unitMs), unit];
}
