import type { Issuer } from '@passport-registry/verifier';
import { wordFor } from '../dom/word.js';
import { standings, status as statusWords } from '../texts/en.js';
import { otherNames, placeName } from './places.js';
import type { IssuerSearch } from './search.js';
import { shownStatus, standingOf } from './status-mark.js';

/**
 * Returns a function that tells whether a text finds an issuer: by its words, by a name that looks like the text, or by a
 * country, also for the issuers for the whole world, and the other words.
 */
export function matcherOf(search: IssuerSearch, text: string): (issuer: Issuer) => boolean {
  const words = wordsOf(fold(text));
  const country = countryIn(words.join(' '), search);
  const isLike = search.names?.likeText(text);
  const hasAll = (issuer: Issuer, all: readonly string[]) =>
    all.every((word) => contains(issuer, word, search));
  return (issuer) => {
    if (!country?.isCode && (hasAll(issuer, words) || isLike?.(issuer.issuer_id))) return true;
    return country?.covers(issuer) === true && hasAll(issuer, country.rest);
  };
}

interface NamedCountry {
  readonly covers: (issuer: Issuer) => boolean;
  /** Whether the text names the country by its code. Two letters are a part of many words, so they name nothing else. */
  readonly isCode: boolean;
  /** The words of the text that do not name the country. */
  readonly rest: readonly string[];
}

/** Finds the country that a text names. */
function countryIn(text: string, search: IssuerSearch): NamedCountry | undefined {
  const searched = ` ${text} `;
  for (const code of new Set(search.valuesOf('geographical_scope').map(countryOf))) {
    const letters = code.toLowerCase();
    const name = [letters, ...foldedPlace(code).split('\n')].find((one) => searched.includes(` ${one} `));
    if (name === undefined) continue;
    return {
      covers: ({ geographical_scope: scope = [] }) =>
        scope.some((place) => place === 'global' || countryOf(place) === code),
      isCode: name === letters,
      rest: wordsOf(searched.replace(` ${name} `, ' ')),
    };
  }
  return undefined;
}

const wordsOf = (text: string) => text.split(/\s+/).filter(Boolean);
const countryOf = (place: string) => place.replace(/-.*/, '');

/**
 * Whether a value of a record, its name, the name of one of its places, or what the page says of its status contains a word.
 * Nothing is kept for the next search: in a large list, collecting the garbage takes longer than comparing anew.
 */
function contains(issuer: Issuer, word: string, { names, hold }: IssuerSearch): boolean {
  if (statusOf(issuer, hold).includes(word)) return true;
  for (const [name, value] of Object.entries(issuer)) {
    if (name === 'status') continue;
    if (typeof value === 'string' && fold(value).includes(word)) return true;
    if (Array.isArray(value) && value.some((one) => fold(one).includes(word))) return true;
  }
  const name = names?.get(issuer.issuer_id)?.name;
  if (name !== undefined && fold(name).includes(word)) return true;
  return issuer.geographical_scope?.some((code) => foldedPlace(code).includes(word)) === true;
}

/** The words for the status of an issuer, and for what it is to a reader. */
function statusOf(issuer: Issuer, hold: readonly string[]): string {
  const status = shownStatus(issuer, hold);
  const words = [wordFor(statusWords, status), wordFor(standings, standingOf(issuer, status))];
  return fold(words.join('\n'));
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
