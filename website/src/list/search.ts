import type { Issuer } from '@passport-registry/verifier';
import type { Query } from '../route.js';
import { coversPlace, standingOf } from '../verifier.js';
import type { Names } from './names.js';
import { shownStatus } from './status-mark.js';

/** For how long a search may block the page, in milliseconds. The reader may be typing. */
const MAX_SLICE_MS = 8;
/** How many records are compared between two looks at the clock. */
const RECORDS_PER_LOOK = 64;

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

  /** @param loadMatcher - loads what finds a text in issuers, which the first view does not need */
  constructor(issuers: readonly Issuer[], hold: readonly string[], loadMatcher: () => Promise<MatcherOf>) {
    this.issuers = issuers;
    this.hold = hold;
    this.#loadMatcher = loadMatcher;
  }

  /**
   * Finds the issuers that match a query, in the order of their ids. A search of a small list ends before the function
   * returns to the caller's event.
   *
   * @param isWanted - whether the reader still waits for the result
   * @returns undefined if nobody waits for the result
   */
  async find(query: Query, isWanted: () => boolean): Promise<Issuer[] | undefined> {
    if (query.text !== '') this.#matcherOf ??= await this.#loadMatcher();
    const matches = this.#matcherOf?.(this, query.text);
    if (!isWanted()) return undefined;
    const found: Issuer[] = [];
    let until = performance.now() + MAX_SLICE_MS;
    for (const [at, issuer] of this.issuers.entries()) {
      if (at % RECORDS_PER_LOOK === 0 && performance.now() > until) {
        await new Promise((resolve) => setTimeout(resolve));
        if (!isWanted()) return undefined;
        until = performance.now() + MAX_SLICE_MS;
      }
      if (this.#passes(issuer, query) && matches?.(issuer) !== false) found.push(issuer);
    }
    return found;
  }

  /** Returns whether an issuer has a status or a standing. */
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
}
