import { element } from './element.js';

/** A `time` element, so that programs can read the time. */
export function time(dateTime: string): HTMLElement {
  return element('time', { datetime: dateTime }, dateTime.replace(/\.000Z$/, 'Z'));
}

const UNITS = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const;

/** Formats the age of a time, such as `2 hours ago`. @param timeMs - milliseconds since 1970 */
export function formatAge(timeMs: number): string {
  const ageMs = Date.now() - timeMs;
  const [unit, unitMs] = UNITS.find(([, size]) => ageMs >= size) ?? UNITS[2];
  return new Intl.RelativeTimeFormat('en').format(-Math.max(0, Math.floor(ageMs / unitMs)), unit);
}
