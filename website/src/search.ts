import { type Issuer, type Registry, STATUSES, TIERS } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/internal';
import type { Query } from './route.js';
import { shownStatus, statusClass } from './status-mark.js';

/** Returns the issuers that match a query, in the order that the query requests. */
export function searchIssuers(registry: Registry, query: Query): Issuer[] {
  const { tier, status, geography, domain, passportType } = query;
  const narrowed = registry.list({
    ...(tier !== '' && { tiers: TIERS.filter((name) => name === tier) }),
    ...(status !== '' && { statuses: STATUSES.filter((name) => name === status) }),
    ...(geography !== '' && { geography }),
    ...(domain !== '' && { domain }),
    ...(passportType !== '' && { passportType }),
  });
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = narrowed.filter((issuer) => words.every((word) => searchText(issuer).includes(word)));
  return sortIssuers(matching, query, registry.hold);
}

const texts = new WeakMap<Issuer, string>();

/** All values of a record in one string, for the search. */
function searchText(issuer: Issuer): string {
  let text = texts.get(issuer);
  if (text === undefined) {
    text = Object.values(issuer).flat().join('\n').toLowerCase();
    texts.set(issuer, text);
  }
  return text;
}

function sortIssuers(issuers: Issuer[], { sort, descending }: Query, hold: readonly string[]): Issuer[] {
  // The list is sorted by id, and sorting is stable, so issuers with the same value stay sorted by id.
  const rankOf = (issuer: Issuer) => rank(issuer, sort, hold);
  const ascending = sort === 'issuer_id' ? issuers : issuers.sort((a, b) => rankOf(a) - rankOf(b));
  return descending ? ascending.reverse() : ascending;
}

function rank(issuer: Issuer, sort: Query['sort'], hold: readonly string[]): number {
  if (sort === 'tier') return TIERS.indexOf(issuer.tier);
  if (sort === 'status') return STATUSES.indexOf(statusClass(shownStatus(issuer, hold)));
  return instantOf(issuer.certified_since);
}

/** All values of one list field, over all issuers, without duplicates and sorted. */
export function valuesOf(
  issuers: readonly Issuer[],
  field: 'geographical_scope' | 'domain_scope' | 'passport_types',
): string[] {
  return [...new Set(issuers.flatMap((issuer) => issuer[field] ?? []))].sort();
}
