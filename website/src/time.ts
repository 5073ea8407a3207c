import { element } from './element.js';

/** A time as a machine reads it, too. */
export function time(dateTime: string): HTMLElement {
  return element('time', { datetime: dateTime }, dateTime.replace(/\.000Z$/, 'Z'));
}

const UNITS = [
  ['day', 24 * 60 * 60 * 1000],
  ['hour', 60 * 60 * 1000],
  ['minute', 60 * 1000],
] as const;

/** How long ago it was. @param milliseconds - since 1970 */
export function age(milliseconds: number): string {
  const passed = Date.now() - milliseconds;
  const [unit, length] = UNITS.find(([, size]) => passed >= size) ?? UNITS[2];
  return new Intl.RelativeTimeFormat('en').format(-Math.max(0, Math.floor(passed / length)), unit);
}
