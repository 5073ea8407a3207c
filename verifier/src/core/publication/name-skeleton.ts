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

/**
 * Returns what a name looks like at a glance: without case, accents, spaces and punctuation, and with the Latin letters that
 * others look like. Two issuers with the same skeleton may be taken for each other. It proves nothing.
 *
 * @example
 * ```ts
 * import { nameSkeleton } from '@passport-registry/verifier/core';
 *
 * console.log(nameSkeleton('Harbour Bank Ltd.') === nameSkeleton('HARB0UR-BANK LTD')); // true
 * ```
 */
export function nameSkeleton(name: string): string {
  const letters = name.normalize('NFKD').replaceAll(/[^\p{L}\p{N}|]/gu, '');
  const latin = Array.from(letters, (letter) => LATIN.get(letter) ?? letter.toLowerCase()).join('');
  return latin.replaceAll('rn', 'm').replaceAll('vv', 'w') || name;
}
