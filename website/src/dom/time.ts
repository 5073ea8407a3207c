import { LANGUAGE } from '../texts.js';
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

/** Units with their lengths in seconds, and from how many on readers count in them: `in 50 days`, not `next month`. */
const UNITS = [
  ['year', 31557600, 2],
  ['month', 2629800, 3],
  ['day', 86400, 2],
  ['hour', 3600, 1],
  ['minute', 60, 1],
  ['second', 1, 0],
] as const;
// Numbers alone: `yesterday` would count days of the calendar.
const ages = new Intl.RelativeTimeFormat(LANGUAGE);
const now = new Intl.RelativeTimeFormat(LANGUAGE, { numeric: 'auto' }).format(0, 'second');

/** Formats a time relative to now, such as `2 hours ago` or `in 2 hours`. @param timeMs - milliseconds since 1970 */
export function formatAge(timeMs: number): string {
  const isToCome = timeMs > Date.now();
  const [count, unit] = inUnits(Math.abs(Date.now() - timeMs));
  // A text that counts seconds would be wrong a second later.
  if (unit === 'second') return now;
  return ages.format(isToCome ? count : -count, unit);
}

/** Returns a duration as a number of the unit in which a reader would count it. */
export function inUnits(durationMs: number): readonly [number, (typeof UNITS)[number][0]] {
  const seconds = durationMs / 1000;
  const [unit, length] = UNITS.find(([, size, from]) => seconds >= size * from) ?? UNITS[5];
  return [Math.round(seconds / length), unit];
}
