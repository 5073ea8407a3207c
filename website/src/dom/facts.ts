import { LANGUAGE } from '../texts.js';
import { type Child, element } from './element.js';
import { inUnits, inWords } from './time.js';

const times = new Intl.DateTimeFormat(LANGUAGE, { dateStyle: 'medium', timeStyle: 'short', timeZone: 'UTC' });

/** A `time` element that shows the time in words, in UTC. The exact time is its title. */
export function moment(dateTime: string): HTMLElement {
  const words = inWords(dateTime, times);
  return element('span', {}, element('time', { datetime: dateTime, title: dateTime }, words), ' UTC');
}

/** Formats a duration, such as `2 hours`. */
export function formatDuration(durationMs: number): string {
  const [count, unit] = inUnits(durationMs);
  return new Intl.NumberFormat(LANGUAGE, { style: 'unit', unit, unitDisplay: 'long' }).format(count);
}

/** A row of a list of facts. */
export function fact(name: string, ...value: Child[]): HTMLElement {
  return element('div', {}, element('dt', {}, name), element('dd', {}, value));
}

/** Creates a link, or plain text if the scheme of the URL is not http or https. */
export function webLink(url: string): Node {
  const scheme = URL.canParse(url) ? new URL(url).protocol : '';
  if (scheme !== 'https:' && scheme !== 'http:') return document.createTextNode(url);
  return element('a', { href: url, rel: 'noopener noreferrer nofollow' }, url);
}
