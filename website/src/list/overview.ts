import { type Issuer, TIERS } from '@passport-registry/verifier';
import { STANDINGS, standingOf } from '@passport-registry/verifier/core';
import { element, svgElement } from '../dom/element.js';
import { listFragment, type Query } from '../route.js';
import { fields, list as listText, standings, overview as text } from '../texts.js';
import { placeName } from './places.js';
import { countsOf, shownStatus, TONES } from './status-mark.js';

const MAX_PLACES = 24;

/** A share of the issuers. */
interface Share {
  readonly name: string;
  readonly count: number;
  /** The issuers of the share. */
  readonly query: Partial<Query>;
  /** The class with the colour. */
  readonly tone?: string;
}

/** What a reader would rather look at than read: the issuers by status, tier and country. Each share leads to its issuers. */
export function overview(issuers: readonly Issuer[], hold: readonly string[]): Element[] {
  if (issuers.length === 0) return [];
  const byStanding = countsOf(issuers, (one) => standingOf(one, shownStatus(one, hold), Date.now()));
  const byTier = countsOf(issuers, ({ tier }) => tier);
  const status = STANDINGS.map((standing) => ({
    name: standings[standing],
    count: byStanding.get(standing) ?? 0,
    query: { status: standing },
    tone: TONES[standing],
  }));
  const tiers = TIERS.map((tier) => ({ name: tier, count: byTier.get(tier) ?? 0, query: { tier } }));
  return [
    element('h3', {}, text.title),
    ...shareView(fields.status, status),
    ...shareView(text.tier, tiers),
    ...placesView(issuers),
  ];
}

/** One bar of all shares, and the same as text. */
function shareView(title: string, all: readonly Share[]): Element[] {
  const shares = all.filter(({ count }) => count > 0);
  return [element('h4', {}, title), bar(shares), countsView(shares)];
}

function countsView(shares: readonly Share[], more: readonly Element[] = []): Element {
  return element(
    'ul',
    { class: 'values' },
    ...shares.map(({ name, count, query }) =>
      element('li', {}, element('a', { href: listFragment(query) }, name), ` ${text.count(count)}`),
    ),
    ...more,
  );
}

/** Its links are those of the text below, so programs that read aloud, and the keyboard, skip them. */
function bar(shares: readonly Share[]): Element {
  const all = shares.reduce((sum, { count }) => sum + count, 0);
  let from = 0;
  let opacity = 0.85;
  const parts = shares.map(({ name, count, query, tone }) => {
    const [x, width] = [from, (100 * count) / all];
    from += width;
    if (!tone) opacity = Math.max(opacity * 0.65, 0.2);
    return svgElement(
      'a',
      { href: listFragment(query), class: `status ${tone || 'name'}`, tabindex: -1 },
      svgElement('title', {}, name),
      svgElement('rect', {
        ...{ x: `${x}%`, width: `${Math.max(width - 0.3, 0.3)}%`, height: 14, fill: 'currentcolor' },
        'fill-opacity': tone ? 1 : opacity,
      }),
    );
  });
  return svgElement('svg', { width: '100%', height: 14, 'aria-hidden': 'true' }, parts);
}

/**
 * How many issuers are for each country, most first. Each number counts those for the whole world, too, so the numbers are no
 * shares of a whole, and have no bar.
 */
function placesView(issuers: readonly Issuer[]): Element[] {
  const counts = new Map<string, number>();
  let everywhere = 0;
  for (const { geographical_scope: scope = [] } of issuers) {
    if (scope.includes('global')) everywhere++;
    else for (const code of scope) if (!code.includes('-')) counts.set(code, (counts.get(code) ?? 0) + 1);
  }
  if (counts.size === 0) return [];
  const shares = [...counts]
    .sort(([one, many], [other, more]) => more - many || placeName(one).localeCompare(placeName(other)))
    .slice(0, MAX_PLACES)
    .map(([code, count]) => ({
      name: placeName(code),
      count: count + everywhere,
      query: { geography: code },
    }));
  const rest = counts.size - shares.length;
  const more = rest > 0 ? [element('li', { class: 'none' }, listText.more(rest).trim())] : [];
  return [element('h4', {}, text.places), countsView(shares, more)];
}
