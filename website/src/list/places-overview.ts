import type { Issuer } from '@passport-registry/verifier';
import { element } from '../dom/element.js';
import { listFragment } from '../route.js';
import { list as listText, overview as text } from '../texts/en.js';
import { placeName } from './places.js';

const MAX_PLACES = 24;

/** How many issuers are recognised in each country, most first. Each number leads to them, and counts those for the whole world. */
export function placesOverview(issuers: readonly Issuer[]): HTMLElement[] {
  const counts = new Map<string, number>();
  let everywhere = 0;
  for (const { geographical_scope: scope = [] } of issuers) {
    if (scope.includes('global')) everywhere++;
    else for (const code of scope) if (!code.includes('-')) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const tiles = [...counts]
    .sort(([one, many], [other, more]) => more - many || placeName(one).localeCompare(placeName(other)))
    .slice(0, MAX_PLACES)
    .map(([code, count]) => {
      const link = element('a', { href: listFragment({ geography: code }) }, placeName(code));
      return element('li', {}, link, ` ${text.count(count + everywhere)}`);
    });
  const rest = counts.size - tiles.length;
  const more = rest > 0 ? [element('li', { class: 'none' }, listText.more(rest).trim())] : [];
  return [element('h3', {}, text.places), element('ul', { class: 'values' }, ...tiles, ...more)];
}
