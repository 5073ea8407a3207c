import type { Issuer } from '@passport-registry/verifier';
import { type AboutIssuer, STANDINGS, type Standing, standingOf } from '@passport-registry/verifier/core';
import { wordFor } from '../dom/text.js';
import { otherPlaceNames, standings, status as statusWords } from '../texts.js';
import { placeName } from './places.js';
import type { IssuerSearch } from './search.js';
import { shownStatus } from './status-mark.js';

/**
 * Returns a function that tells whether a text finds an issuer: by its words, by a name that looks like the text, or by a
 * country, also for the issuers for the whole world, and the other words.
 */
export function matcherOf(search: IssuerSearch, text: string): (issuer: Issuer) => boolean {
  const words = wordsOf(fold(text));
  const country = countryIn(words.join(' '), search);
  const isLike = search.names?.likeText(text);
  const hasAll = matcherOfAll(words, search);
  const hasRest = matcherOfAll(country?.rest ?? [], search);
  return (issuer) => {
    if (!country?.isCode && (hasAll(issuer) || isLike?.(issuer.issuer_id))) return true;
    return country?.covers(issuer) === true && hasRest(issuer);
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
 * Returns a function that tells whether an issuer has all of these words: in a value of its record, in its name, in the
 * reason for its status, in the name of one of its places, or in what the page says of its status. Nothing is kept for the
 * next search: in a large list, collecting the garbage takes longer than comparing again.
 */
function matcherOfAll(words: readonly string[], search: IssuerSearch): (issuer: Issuer) => boolean {
  if (words.length === 0) return () => true;
  const { names, hold } = search;
  const wanted = words.map((word) => ({
    word,
    standings: STANDINGS.filter((one) => wordsFor(one).includes(word)),
  }));
  return (issuer) => {
    const text = textOf(issuer, names?.get(issuer.issuer_id));
    return wanted.every(
      ({ word, standings: ofWord }) =>
        text.includes(word) ||
        issuer.geographical_scope?.some((code) => foldedPlace(code).includes(word)) === true ||
        // Few words stand for a status.
        (ofWord.length > 0 && ofWord.includes(standingOf(issuer, shownStatus(issuer, hold), Date.now()))),
    );
  };
}

/** The name and the reason of an issuer, and the values of its record, except the status: the page has other words for it. */
function textOf(issuer: Issuer, { name = '', status_reason = '' }: AboutIssuer = {}): string {
  let text = `${name}\n${status_reason}`;
  for (const [member, value] of Object.entries(issuer)) if (member !== 'status') text += `\n${value ?? ''}`;
  return fold(text);
}

/** The words for what an issuer is, and for the status that it then has in the list. */
function wordsFor(standing: Standing): string {
  return fold(`${standings[standing]}\n${wordFor(statusWords, standing) ?? statusWords.active}`);
}

const foldedPlaces = new Map<string, string>();

function foldedPlace(code: string): string {
  const known = foldedPlaces.get(code);
  if (known !== undefined) return known;
  const name = placeName(code);
  // Readers also write `Bosnia and Herzegovina`.
  const folded = fold([name, name.replaceAll('&', 'and'), ...otherNames(code)].join('\n'));
  foldedPlaces.set(code, folded);
  return folded;
}

/** The names of a country for which readers search, besides that on the page: its own, and colloquial ones. */
function otherNames(code: string): readonly string[] {
  const country = countryOf(code);
  if (!/^[A-Z]{2}$/.test(country)) return [];
  const { language } = new Intl.Locale(`und-${country}`).maximize();
  const own = new Intl.DisplayNames([language], { type: 'region' });
  return [own.of(country) ?? country, ...(wordFor(otherPlaceNames, country)?.split(', ') ?? [])];
}

/** Makes texts comparable: lower case, without accents, and with the apostrophe that readers type. */
export function fold(text: string): string {
  const plain = /[^\n -~]/.test(text)
    ? text.normalize('NFKD').replaceAll(/\p{M}/gu, '').replaceAll('’', "'")
    : text;
  return plain.toLowerCase();
}
