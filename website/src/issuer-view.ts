import { ISSUER_FIELDS, type Issuer, type Registry } from '@passport-registry/verifier';
import type { Changes } from './changes.js';
import { type Child, element, webLink } from './element.js';
import { changesList } from './history-view.js';
import { nearestIds } from './nearest.js';
import { issuerAddress, listAddress } from './route.js';
import { statusMark } from './status-mark.js';
import { time } from './time.js';

/** All that the registry says of one issuer. */
export function issuerView(issuer: Issuer, changes: Changes | undefined): HTMLElement {
  const { issuer_id, status } = issuer;
  const own = changes && {
    ...changes,
    changes: changes.changes.filter((change) => change.issuer_id === issuer_id),
  };
  return element(
    'article',
    {},
    back(),
    element(
      'p',
      { class: `verdict ${status}` },
      status === 'active'
        ? 'Recognised. Whether you trust it is for your own policy to say: tier, domains, places.'
        : `This issuer is ${status}: every verifier rejects it, and all of its passports.`,
    ),
    element(
      'dl',
      { class: 'fields' },
      ISSUER_FIELDS.map((field) => fieldOf(issuer, field)),
    ),
    element('h3', {}, 'Changes'),
    changesList(own, false),
    element('h3', {}, 'As data'),
    element(
      'p',
      {},
      'This is the record in the signed list. ',
      element('a', { href: `issuers/${encodeURIComponent(issuer_id)}` }, `issuers/${issuer_id}`),
      ' is a copy that is not signed by itself: never decide by it alone.',
    ),
    element('pre', {}, element('code', {}, JSON.stringify(issuer, undefined, 2))),
  );
}

const LABELS: Readonly<Record<keyof Issuer, string>> = {
  issuer_id: 'Id',
  tier: 'Tier',
  status: 'Status',
  jwks_uri: 'Keys (JWKS)',
  discovery_uri: 'Metadata',
  policy_uri: 'Policy',
  certified_since: 'Certified since',
  last_audit: 'Last audit',
  geographical_scope: 'Places',
  domain_scope: 'Domains',
  passport_types: 'Passport types',
  contact: 'Contact',
};

function fieldOf(issuer: Issuer, field: keyof Issuer): HTMLElement {
  return element('div', {}, element('dt', {}, LABELS[field]), element('dd', {}, shownValue(issuer, field)));
}

function shownValue(issuer: Issuer, field: keyof Issuer): Child {
  const value = issuer[field];
  // The two are not the same: an author who writes null has said that there is none.
  if (value === undefined) return element('span', { class: 'none' }, 'not declared');
  if (value === null) return element('span', { class: 'none' }, 'none');
  if (field === 'status') return statusMark(issuer.status);
  if (typeof value !== 'string') return listOf(field, value);
  if (field === 'certified_since' || field === 'last_audit') return time(value);
  return field.endsWith('_uri') ? webLink(value) : value;
}

const FILTERS: Readonly<Record<string, 'geography' | 'domain' | 'passportType'>> = {
  geographical_scope: 'geography',
  domain_scope: 'domain',
  passport_types: 'passportType',
};

/** The values of a list, each of which leads to the issuers that have it. */
function listOf(field: keyof Issuer, values: readonly string[]): Child {
  if (values.length === 0) return element('span', { class: 'none' }, 'none');
  const member = FILTERS[field] ?? 'domain';
  return element(
    'ul',
    { class: 'values' },
    values.map((value) => element('li', {}, element('a', { href: listAddress({ [member]: value }) }, value))),
  );
}

/** For an id that is not in the list. */
export function unknownIssuerView(id: string, registry: Registry): HTMLElement {
  return element(
    'article',
    {},
    back(),
    element(
      'p',
      { class: 'verdict revoked' },
      element('strong', {}, id),
      ' is not in this registry: no issuer of that name is recognised.',
    ),
    suggestions(id, registry, ''),
  );
}

/**
 * Ids that may have been meant.
 *
 * @param base - the address of the page that shows them, where it is not this one
 */
export function suggestions(id: string, registry: Registry, base: string): HTMLElement {
  const near = nearestIds(
    id,
    registry.list().map(({ issuer_id }) => issuer_id),
  );
  if (near.length === 0) return element('p', {}, 'No id in it is much like that one.');
  const links = near.map((found) =>
    element('li', {}, element('a', { href: base + issuerAddress(found) }, found)),
  );
  return element(
    'div',
    {},
    element('p', {}, 'Ids in it that are like that one, which proves no kinship:'),
    element('ul', { class: 'near' }, links),
  );
}

function back(): HTMLElement {
  return element('p', { class: 'back' }, element('a', { href: listAddress({}) }, '← All issuers'));
}
