import type { Issuer } from '@passport-registry/verifier';
import type { Query } from '../route.js';
import { coversPlace, instantOf, STANDINGS, standingOf, TIERS } from '../verifier.js';
import type { Names } from './names.js';
import { shownStatus } from './status-mark.js';

/** For how long a search may block the page, in milliseconds. The reader may be typing. */
const MAX_SLICE_MS = 8;
/** How many records are compared between two looks at the clock. */
const RECORDS_PER_LOOK = 64;
/** More than the number of issuers in any list. A key of a sort is a rank and a position. */
const MAX_ISSUERS = 2 ** 22;

type ListField = 'geographical_scope' | 'domain_scope' | 'passport_types';

/** Returns a function that tells whether a text finds an issuer. */
type MatcherOf = (search: IssuerSearch, text: string) => (issuer: Issuer) => boolean;

/** Searches the issuers of one list, without blocking the page. */
export class IssuerSearch {
  readonly issuers: readonly Issuer[];
  /** What people call the issuers. The names come after the list. */
  names: Names;
  /** The ids of the issuers on hold. */
  readonly hold: readonly string[];
  readonly #loadMatcher: () => Promise<MatcherOf>;
  #matcherOf: MatcherOf | undefined;
  readonly #values = new Map<ListField, readonly string[]>();
  readonly #orders = new Map<Query['sort'], readonly number[]>();

  /** @param loadMatcher - loads what finds a text in issuers, which the first view does not need */
  constructor(issuers: readonly Issuer[], hold: readonly string[], loadMatcher: () => Promise<MatcherOf>) {
    this.issuers = issuers;
    this.hold = hold;
    this.#loadMatcher = loadMatcher;
  }

  /**
   * Finds the issuers that match a query, in the order that the query requests. A search of a small list ends before the
   * function returns to the caller's event.
   *
   * @param isWanted - whether the reader still waits for the result
   * @returns undefined if nobody waits for the result
   */
  async find(query: Query, isWanted: () => boolean): Promise<Issuer[] | undefined> {
    if (query.text !== '') this.#matcherOf ??= await this.#loadMatcher();
    const matches = this.#matcherOf?.(this, query.text);
    if (!isWanted()) return undefined;
    const order = this.#orderOf(query.sort);
    const found: Issuer[] = [];
    let until = performance.now() + MAX_SLICE_MS;
    for (let at = 0; at < this.issuers.length; at++) {
      if (at % RECORDS_PER_LOOK === 0 && performance.now() > until) {
        await new Promise((resolve) => setTimeout(resolve));
        if (!isWanted()) return undefined;
        until = performance.now() + MAX_SLICE_MS;
      }
      const position = order?.[at] ?? at;
      const issuer = this.issuers[position];
      if (issuer !== undefined && this.#passes(issuer, query) && matches?.(issuer) !== false)
        found.push(issuer);
    }
    return query.descending ? found.reverse() : found;
  }

  /** Whether a status or a standing is that of an issuer. */
  #isOf(issuer: Issuer, status: string): boolean {
    const shown = shownStatus(issuer, this.hold);
    return shown === status || standingOf(issuer, shown, Date.now()) === status;
  }

  /** All values of one list field, over all issuers, without duplicates and sorted. */
  valuesOf(field: ListField): readonly string[] {
    let values = this.#values.get(field);
    if (values === undefined) {
      const all = new Set<string>();
      for (const issuer of this.issuers) for (const value of issuer[field] ?? []) all.add(value);
      values = [...all].sort();
      this.#values.set(field, values);
    }
    return values;
  }

  #passes(issuer: Issuer, { tier, status, geography, domain, passportType }: Query): boolean {
    return (
      (tier === '' || issuer.tier === tier) &&
      (status === '' || this.#isOf(issuer, status)) &&
      (geography === '' || coversPlace([geography], issuer.geographical_scope)) &&
      (domain === '' || issuer.domain_scope?.includes(domain) === true) &&
      (passportType === '' || issuer.passport_types?.includes(passportType) === true)
    );
  }

  /** The positions of the issuers in an order. Undefined for the order of the list, which is that of the ids. */
  #orderOf(sort: Query['sort']): readonly number[] | undefined {
    if (sort === 'issuer_id') return undefined;
    let order = this.#orders.get(sort);
    if (order === undefined) {
      const keys = Float64Array.from(
        this.issuers,
        (issuer, position) => this.#rank(issuer, sort) * MAX_ISSUERS + position,
      );
      // Sorting numbers blocks the page for a few milliseconds, even with 100,000 issuers.
      order = Array.from(keys.sort(), (key) => key - Math.floor(key / MAX_ISSUERS) * MAX_ISSUERS);
      this.#orders.set(sort, order);
    }
    return order;
  }

  #rank(issuer: Issuer, sort: Query['sort']): number {
    if (sort === 'tier') return TIERS.indexOf(issuer.tier);
    if (sort === 'status')
      return STANDINGS.indexOf(standingOf(issuer, shownStatus(issuer, this.hold), Date.now()));
    return Math.floor(instantOf(issuer.certified_since) / 1000) || 0;
  }
}
