/** What looks like a Latin letter: letters of other scripts, digits, and letters with a stroke. */
const LOOK_ALIKES = {
  a: 'ΑαАа',
  b: 'ΒВ',
  c: 'Сс',
  d: 'ԁđĐ',
  e: 'ΕЕе',
  h: 'ΗНһ',
  j: 'Јј',
  k: 'ΚκКк',
  l: '1|IiıΙιІіӀӏŁł',
  m: 'ΜМ',
  n: 'Ν',
  o: '0ΟοОоØø',
  p: 'ΡρРр',
  q: 'ԛ',
  s: 'Ѕѕ',
  t: 'ΤТ',
  u: 'υ',
  v: 'ν',
  w: 'ԝ',
  x: 'ΧχХх',
  y: 'ΥУу',
  z: 'Ζ',
};
const LATIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
);

const LOOKS_LATIN = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'gu');

/** Words at the end of a name that say what kind of company it is. */
const LEGAL_FORMS = new Set(
  `AB AG ApS AS ASA BV Co Company Corp Corporation GmbH Inc Incorporated KG Limited LLC LLP Ltd NV Oy Oyj Plc Pte Pty
  SA SARL SAS SE SL SpA Srl`
    .split(/\s+/)
    .map(latinOf),
);

/**
 * Returns what a name looks like at a glance: without case, accents, spaces, punctuation and a legal form such as `Ltd` at
 * its end, and with the Latin letters that others look like. Two issuers with the same skeleton may be taken for each other.
 * It proves nothing.
 *
 * @example
 * ```ts
 * import { nameSkeleton } from '@passport-registry/verifier/core';
 *
 * console.log(nameSkeleton('Harbour Bank Ltd.') === nameSkeleton('HARB0UR-BANK')); // true
 * ```
 */
export function nameSkeleton(name: string): string {
  // One word: `A/S`, `S.A.`
  const joined = name.normalize('NFKD').replaceAll(/[\p{M}./]/gu, '');
  const words = latinOf(joined)
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
  while (words.length > 1 && LEGAL_FORMS.has(words.at(-1) ?? '')) words.pop();
  return words.join('').replaceAll('rn', 'm').replaceAll('vv', 'w') || name;
}

function latinOf(text: string): string {
  return text.replaceAll(LOOKS_LATIN, (letter) => LATIN.get(letter) ?? letter).toLowerCase();
}
