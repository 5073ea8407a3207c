import type { Issuer } from '../generated/schemas.js';
import { STANDINGS, standingOf } from './shown-issuer.js';

/** What looks like a Latin letter: letters of Greek, Cyrillic, Lisu and Cherokee, digits, and letters with a stroke. */
const LOOK_ALIKES = {
  a: 'ΑαАаꓮᎪ',
  b: 'ΒВꓐᏴ',
  c: 'СсꓚᏟ',
  d: 'ԁđĐꓓᎠ',
  e: 'ΕЕеꓰᎬ',
  f: 'ꓝ',
  g: 'ꓖᏀ',
  h: 'ΗНһꓧᎻ',
  j: 'ЈјꓙᎫ',
  k: 'ΚκКкꓗᏦ',
  l: '1|IiıΙιІіӀӏŁłꓡꓲᏞ',
  m: 'ΜМꓟᎷ',
  n: 'Νꓠ',
  o: '0ΟοОоØøꓳ',
  p: 'ΡρРрꓑᏢ',
  q: 'ԛ',
  r: 'ꓣᎡᏒ',
  s: 'ЅѕꓢᏚ',
  t: 'ΤТꓔᎢ',
  u: 'υꓴ',
  v: 'νꓦᏙ',
  w: 'ԝꓪᎳ',
  x: 'ΧχХхꓫ',
  y: 'ΥУуꓬᎩ',
  z: 'ΖꓜᏃ',
};
const LATIN = new Map(
  Object.entries(LOOK_ALIKES).flatMap(([latin, others]) => [...others].map((other) => [other, latin])),
);

const LOOKS_LATIN = new RegExp(`[${[...LATIN.keys()].join('')}]`, 'gu');

/** Words at the end of a name that say what kind of company it is. */
const LEGAL_FORMS = new Set(
  wordsIn(
    `AB AG ApS AS ASA BV Co Company Corp Corporation GmbH Inc Incorporated KG Limited LLC LLP Ltd NV Oy Oyj Plc Pte Pty
  SA SARL SAS SE SL SpA Srl`,
  ),
);

/** Words with which a name claims what only the registry says: the tiers, and the words of the page. */
const CLAIMS = new Set(
  wordsIn(
    `certified founding listed official registered sandbox trusted verified
  anerkannt geprüft gelistet offiziell verifiziert anerkjent offisiell oppført verifisert`,
  ),
);

/**
 * Returns what a name looks like at a glance: without case, accents, spaces, punctuation, marks such as `✓`, words such as
 * `trusted` and a legal form such as `Ltd` at its end, and with the Latin letters that others look like. Two issuers with
 * the same skeleton may be taken for each other. It proves nothing.
 *
 * @example
 * ```ts
 * import { nameSkeleton } from '@passport-registry/verifier/core';
 *
 * console.log(nameSkeleton('Harbour Bank Ltd.') === nameSkeleton('HARB0UR-BANK ✓ trusted')); // true
 * ```
 */
export function nameSkeleton(name: string): string {
  const all = wordsIn(name);
  const own = all.filter((word) => !CLAIMS.has(word));
  const words = own.length === 0 ? all : own;
  while (words.length > 1 && LEGAL_FORMS.has(words.at(-1) ?? '')) words.pop();
  return words.join('').replaceAll('rn', 'm').replaceAll('vv', 'w') || name;
}

/** The words of a text, with the Latin letters that others look like, in lower case. */
function wordsIn(text: string): string[] {
  // One word: `A/S`, `S.A.`
  const joined = text.normalize('NFKD').replaceAll(/[\p{M}./]/gu, '');
  return joined
    .replaceAll(LOOKS_LATIN, (letter) => LATIN.get(letter) ?? letter)
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter(Boolean);
}

/** An issuer, and what it looks like: the skeletons of its id and its name. */
export interface IssuerLook {
  readonly issuer: Issuer;
  readonly ofId: string;
  readonly ofName: string | undefined;
}

/** Returns what an issuer looks like, by its id and its name. */
export function lookOf(issuer: Issuer, name: string | undefined): IssuerLook {
  const ofName = name === undefined ? undefined : nameSkeleton(name);
  return { issuer, ofId: nameSkeleton(issuer.issuer_id), ofName };
}

/** The issuers whose names or ids look like the name of another issuer. */
export interface AlikeIssuers {
  /** At most {@link MAX_ALIKE}. */
  readonly alike: readonly Issuer[];
  /** The number of the others. */
  readonly unnamed: number;
}

/** The maximum number of alike issuers that are named. The trusted ones come first, because others may imitate them. */
const MAX_ALIKE = 4;

/**
 * Finds the issuers whose name looks like the name or the id of others, by the issuer_id.
 *
 * @param now - milliseconds since 1970
 */
export function alikeIssuers(all: readonly IssuerLook[], now: number): ReadonlyMap<string, AlikeIssuers> {
  const owners = new Map<string, Issuer[]>();
  for (const { issuer, ofId, ofName = ofId } of all) {
    for (const look of new Set([ofId, ofName])) {
      const owning = owners.get(look);
      if (owning === undefined) owners.set(look, [issuer]);
      else owning.push(issuer);
    }
  }
  const rankOf = (one: Issuer) => STANDINGS.indexOf(standingOf(one, one.status, now));
  for (const owning of owners.values()) {
    if (owning.length > 1) owning.sort((one, other) => rankOf(one) - rankOf(other));
  }
  const found = new Map<string, AlikeIssuers>();
  for (const { issuer, ofName } of all) {
    const owning = ofName === undefined ? [] : (owners.get(ofName) ?? []);
    if (owning.length < 2) continue;
    // One of them is the issuer itself.
    const others = owning.slice(0, MAX_ALIKE + 1).filter((one) => one.issuer_id !== issuer.issuer_id);
    const alike = others.slice(0, MAX_ALIKE);
    found.set(issuer.issuer_id, { alike, unnamed: owning.length - 1 - alike.length });
  }
  return found;
}
