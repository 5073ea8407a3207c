import { type Issuer, type Registry, STATUSES, TIERS } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/internal';
import type { Query } from './route.js';

/** The issuers that a query asks for, in its order. */
export function found(registry: Registry, query: Query): Issuer[] {
  const { tier, status, geography, domain, passportType } = query;
  const narrowed = registry.list({
    ...(tier !== '' && { tiers: TIERS.filter((name) => name === tier) }),
    ...(status !== '' && { statuses: STATUSES.filter((name) => name === status) }),
    ...(geography !== '' && { geography }),
    ...(domain !== '' && { domain }),
    ...(passportType !== '' && { passportType }),
  });
  const words = query.text.toLowerCase().split(/\s+/).filter(Boolean);
  const matching = narrowed.filter((issuer) => words.every((word) => textOf(issuer).includes(word)));
  return sorted(matching, query);
}

const texts = new WeakMap<Issuer, string>();

/** All that is said of an issuer, for searching. */
function textOf(issuer: Issuer): string {
  let text = texts.get(issuer);
  if (text === undefined) {
    text = Object.values(issuer).flat().join('\n').toLowerCase();
    texts.set(issuer, text);
  }
  return text;
}

function sorted(issuers: Issuer[], { sort, descending }: Query): Issuer[] {
  // The list is sorted by id, and sorting is stable: equals stay in that order.
  const ascending = sort === 'issuer_id' ? issuers : issuers.sort((a, b) => rank(a, sort) - rank(b, sort));
  return descending ? ascending.reverse() : ascending;
}

function rank(issuer: Issuer, sort: Query['sort']): number {
  if (sort === 'tier') return TIERS.indexOf(issuer.tier);
  if (sort === 'status') return STATUSES.indexOf(issuer.status);
  return instantOf(issuer.certified_since);
}

/** The values that issuers have in one of their lists, sorted. */
export function valuesOf(
  issuers: readonly Issuer[],
  field: 'geographical_scope' | 'domain_scope' | 'passport_types',
): string[] {
  return [...new Set(issuers.flatMap((issuer) => issuer[field] ?? []))].sort();
}
