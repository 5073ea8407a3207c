import { LANGUAGE } from '../texts/en.js';
import { element } from './element.js';

/** A `time` element with the exact time, so that programs can read the time. */
export function time(dateTime: string): HTMLElement {
  return element('time', { datetime: dateTime }, dateTime.replace(/\.000Z$/, 'Z'));
}

const days = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'long', timeZone: 'UTC' });
const times = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** A `time` element that shows the day in words, as it is written in the record. The exact time is its title. */
export function day(dateTime: string): HTMLElement {
  return element('time', { datetime: dateTime, title: dateTime }, dayInWords(dateTime));
}

/** Returns the day of a date-time in words, in the time zone of the date-time. */
export function dayInWords(dateTime: string): string {
  return inWords(dateTime.slice(0, 10), days);
}

/** A `time` element that shows the time in words, in UTC. The exact time is its title. */
export function moment(dateTime: string): HTMLElement {
  const words = inWords(dateTime, times);
  return element('span', {}, element('time', { datetime: dateTime, title: dateTime }, words), ' UTC');
}

function inWords(dateTime: string, format: Intl.DateTimeFormat): string {
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

/** Formats the age of a time, such as `2 hours ago`. @param timeMs - milliseconds since 1970 */
export function formatAge(timeMs: number): string {
  const ageMs = Date.now() - timeMs;
  // A text that counts seconds would be wrong a second later.
  const [count, unit] = inUnits(ageMs < 60_000 ? 0 : ageMs);
  return ages.format(-count, unit);
}

/** Formats a time that may be to come, such as `in 2 hours`. @param timeMs - milliseconds since 1970 */
export function formatDistance(timeMs: number): string {
  if (timeMs <= Date.now()) return formatAge(timeMs);
  const [count, unit] = inUnits(timeMs - Date.now());
  return ages.format(count, unit);
}

/** Formats a duration, such as `2 hours`. */
export function formatDuration(durationMs: number): string {
  const [count, unit] = inUnits(durationMs);
  return new Intl.NumberFormat(LANGUAGE, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

function inUnits(durationMs: number): readonly [number, (typeof UNITS)[number][0]] {
  const [unit, unitMs] = UNITS.find(([, size]) => durationMs >= size) ?? UNITS[5];
  return [Math.floor(durationMs / unitMs), unit];
}
