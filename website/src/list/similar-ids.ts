import type { Issuer } from '@passport-registry/verifier';
import { distance } from 'fastest-levenshtein';
import { element } from '../dom/element.js';
import { MAX_ID_LENGTH } from '../dom/visible-text.js';
import type { Names } from '../registry/names.js';
import { issuerFragment } from '../route.js';
import { issuer as text } from '../texts/en.js';
import { nameBeside } from './name-beside.js';
import { fold } from './search.js';

const MAX_SUGGESTIONS = 5;

/** The ids that are most similar to an unknown id or name, or whose names are, most similar first. */
export function similarIds(
  wanted: string,
  issuers: readonly Pick<Issuer, 'issuer_id'>[],
  names?: Names,
): string[] {
  const unknown = fold(wanted).slice(0, MAX_ID_LENGTH);
  if (unknown === '') return [];
  return issuers
    .map(({ issuer_id: id }) => {
      const name = names?.get(id)?.name;
      const edits = editsFrom(unknown, id);
      return { id, edits: name === undefined ? edits : Math.min(edits, editsFromName(unknown, fold(name))) };
    })
    .filter(({ edits }) => edits < Number.POSITIVE_INFINITY)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id }) => id);
}

/** How many characters differ. If more than half of them do, a similarity is a coincidence. */
function editsFrom(unknown: string, text: string): number {
  const edits = isPart(unknown, text) || isPart(text, unknown) ? 1 : distance(unknown, text);
  return edits <= Math.max(2, unknown.length / 2) ? edits : Number.POSITIVE_INFINITY;
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

/**
 * A list of similar ids, with a link to each.
 *
 * @param base - the URL of the page with the issuers; empty if that is the current page
 */
export function similarIdsView(similar: readonly string[], base: string, names?: Names): HTMLElement {
  if (similar.length === 0) return element('p', {}, text.notSimilar);
  const links = similar.map((found) =>
    element('li', {}, element('a', { href: base + issuerFragment(found) }, found), nameBeside(names, found)),
  );
  return element('div', {}, element('p', {}, text.similar), element('ul', { class: 'near' }, links));
}
