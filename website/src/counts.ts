import { type IssuerFilter, type Registry, STATUSES, TIERS } from '@passport-registry/verifier';
import { element } from './element.js';
import { listFragment } from './route.js';

/**
 * A table with the number of issuers of each tier and status. Each number links to the issuers that it counts. Issuers on
 * hold count as suspended.
 */
export function counts(registry: Registry): HTMLElement {
  const number = (tier: string, status: string) => {
    const filter: IssuerFilter = {
      ...(tier !== '' && { tiers: TIERS.filter((name) => name === tier) }),
      ...(status !== '' && { statuses: STATUSES.filter((name) => name === status) }),
    };
    const count = registry.list(filter).length;
    const text = count.toLocaleString('en');
    if (count === 0) return element('td', {}, text);
    const label = `${text} issuers, ${tier || 'every tier'}, ${status || 'every status'}`;
    return element(
      'td',
      {},
      element('a', { href: listFragment({ tier, status }), 'aria-label': label }, text),
    );
  };
  const row = (tier: string, name: string) =>
    element(
      'tr',
      {},
      element('th', { scope: 'row' }, name),
      [...STATUSES, ''].map((status) => number(tier, status)),
    );
  return element(
    'table',
    { class: 'counts' },
    element('caption', {}, 'Issuers by tier and status'),
    element(
      'thead',
      {},
      element(
        'tr',
        {},
        element('th', { scope: 'col' }, 'Tier'),
        [...STATUSES, 'all'].map((status) => element('th', { scope: 'col' }, status)),
      ),
    ),
    element(
      'tbody',
      {},
      TIERS.map((tier) => row(tier, tier)),
      row('', 'all'),
    ),
  );
}
