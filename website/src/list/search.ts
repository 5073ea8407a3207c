import { coversPlace, type Issuer, TIERS } from '@passport-registry/verifier';
import { instantOf } from '@passport-registry/verifier/core';
import { wordFor } from '../dom/word.js';
import type { Names } from '../registry/names.js';
import type { Query } from '../route.js';
import { standings, status as statusWords } from '../texts/en.js';
import { otherNames, placeName } from './places.js';
import { STANDINGS, shownStatus, standingOf } from './status-mark.js';

/** For how long a search may block the page, in milliseconds. The reader may be typing. */
const MAX_SLICE_MS = 8;
/** How many records are compared between two looks at the clock. */
const RECORDS_PER_LOOK = 64;
/** More than the number of issuers in any list. A key of a sort is a rank and a position. */
const MAX_ISSUERS = 2 ** 22;

type ListField = 'geographical_scope' | 'domain_scope' | 'passport_types';

/** Searches the issuers of one list, without blocking the page. */
export class IssuerSearch {
  readonly issuers: readonly Issuer[];
  /** What people call the issuers. The names come after the list. */
  names: Names;
  readonly #hold: readonly string[];
  readonly #values = new Map<ListField, readonly string[]>();
  readonly #orders = new Map<Query['sort'], readonly number[]>();

  constructor(issuers: readonly Issuer[], hold: readonly string[]) {
    this.issuers = issuers;
    this.#hold = hold;
  }

  /**
   * Finds the issuers that match a query, in the order that the query requests. A search of a small list ends before the
   * function returns to the caller's event.
   *
   * @param isWanted - whether the reader still waits for the result
   * @returns undefined if nobody waits for the result
   */
  async find(query: Query, isWanted: () => boolean): Promise<Issuer[] | undefined> {
    const words = fold(query.text).split(/\s+/).filter(Boolean);
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
      if (issuer === undefined || !this.#matches(issuer, query)) continue;
      if (!words.every((word) => this.#statusOf(issuer).includes(word) || this.#contains(issuer, word)))
        continue;
      found.push(issuer);
    }
    return query.descending ? found.reverse() : found;
  }

  /** Whether a status or a standing is that of an issuer. */
  #isOf(issuer: Issuer, status: string): boolean {
    const shown = shownStatus(issuer, this.#hold);
    return shown === status || standingOf(issuer, shown) === status;
  }

  /** The words for the status of an issuer, and for what it is to a reader. */
  #statusOf(issuer: Issuer): string {
    const status = shownStatus(issuer, this.#hold);
    return fold(
      `${wordFor(statusWords, status) ?? ''}\n${wordFor(standings, standingOf(issuer, status)) ?? ''}`,
    );
  }

  #contains(issuer: Issuer, word: string): boolean {
    const name = this.names?.get(issuer.issuer_id)?.name;
    return contains(issuer, word) || (name !== undefined && fold(name).includes(word));
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

  #matches(issuer: Issuer, { tier, status, geography, domain, passportType }: Query): boolean {
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
    if (sort === 'status') return STANDINGS.indexOf(standingOf(issuer, shownStatus(issuer, this.#hold)));
    return Math.floor(instantOf(issuer.certified_since) / 1000) || 0;
  }
}

/**
 * Whether a value of a record besides its status contains a word, or the name of one of its places. Nothing is kept for the next search: in a
 * large list, collecting the garbage takes longer than comparing anew.
 */
function contains(issuer: Issuer, word: string): boolean {
  for (const [name, value] of Object.entries(issuer)) {
    if (name === 'status') continue;
    if (typeof value === 'string' && fold(value).includes(word)) return true;
    if (Array.isArray(value) && value.some((one) => fold(one).includes(word))) return true;
  }
  return issuer.geographical_scope?.some((code) => foldedPlace(code).includes(word)) === true;
}

const foldedPlaces = new Map<string, string>();

function foldedPlace(code: string): string {
  let folded = foldedPlaces.get(code);
  if (folded === undefined) {
    const name = placeName(code);
    // Readers write `Bosnia and Herzegovina`, too.
    folded = fold([name, name.replaceAll('&', 'and'), ...otherNames(code)].join('\n'));
    foldedPlaces.set(code, folded);
  }
  return folded;
}

/** Makes texts comparable: lower case, without accents, and with the apostrophe that readers type. */
export function fold(text: string): string {
  const plain = /[^ -~]/.test(text)
    ? text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'")
    : text;
  return plain.toLowerCase();
}
