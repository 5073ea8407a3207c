import type { Issuer } from '@passport-registry/verifier';
import { STANDINGS, standingOf } from '@passport-registry/verifier/core';
import { distance } from 'fastest-levenshtein';
import { element } from '../dom/element.js';
import { MAX_ID_LENGTH } from '../dom/text.js';
import { issuerFragment } from '../route.js';
import { issuer as text } from '../texts.js';
import { fold } from './matcher.js';
import { type Names, nameBeside } from './names.js';
import { shownStatus, statusMark } from './status-mark.js';

const MAX_SUGGESTIONS = 5;

/** The issuers whose ids or names are most similar to an unknown one, most similar first, and trusted before others. */
export function similarIssuers(wanted: string, issuers: readonly Issuer[], names?: Names): readonly Issuer[] {
  const unknown = fold(wanted).slice(0, MAX_ID_LENGTH);
  if (unknown === '') return [];
  // Ids are in lower case.
  const same = issuers.filter(({ issuer_id }) => issuer_id === unknown);
  if (same.length > 0) return same;
  return issuers
    .map((issuer) => {
      const name = names?.get(issuer.issuer_id)?.name;
      const edits = editsFrom(unknown, issuer.issuer_id);
      const least = name === undefined ? edits : Math.min(edits, editsFromName(unknown, fold(name)));
      return { issuer, edits: least, rank: STANDINGS.indexOf(standingOf(issuer, issuer.status, Date.now())) };
    })
    .filter(({ edits }) => edits < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.edits - b.edits || a.rank - b.rank)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ issuer }) => issuer);
}

/** How many characters differ. If more than a third of them do, a similarity is a coincidence. */
function editsFrom(unknown: string, text: string): number {
  const edits = isPart(unknown, text) || isPart(text, unknown) ? 1 : distance(unknown, text);
  return edits <= Math.max(2, unknown.length / 3) ? edits : Number.POSITIVE_INFINITY;
}

/** Of a name, readers know the whole, or one of the words. A third of a word may differ. */
function editsFromName(unknown: string, name: string): number {
  const words = name.split(/[^\p{L}\p{N}]+/u).filter((word) => word.length > 2);
  const ofWords = words.map((word) => distance(unknown, word)).filter((edits) => edits <= unknown.length / 3);
  return Math.min(editsFrom(unknown, name), ...ofWords);
}

function isPart(part: string, whole: string): boolean {
  return part.length > 2 && whole.includes(part);
}

/** What is known of the suggested issuers. */
interface Known {
  /** The ids of the issuers on hold. */
  readonly hold: readonly string[];
  readonly names?: Names;
  /** The URL of the page with the issuers. Default: the current page */
  readonly base?: string;
}

/** A list of similar issuers: what they are, whom they may be taken for, and a link to each. */
export function similarIssuersView(
  similar: readonly Issuer[],
  { hold, names, base = '' }: Known,
): HTMLElement {
  if (similar.length === 0) return element('p', {}, text.notSimilar);
  const links = similar.map((found) => {
    const { issuer_id: id } = found;
    const link = element('a', { href: base + issuerFragment(id) }, id);
    const note = names?.get(id)?.note;
    return element('li', {}, [
      [link, nameBeside(names, id), ' ', statusMark(found, shownStatus(found, hold))],
      note && element('span', { class: 'alike' }, note),
    ]);
  });
  return element('div', {}, element('p', {}, text.similar), element('ul', { class: 'near' }, links));
}
