import type { Issuer } from '@passport-registry/verifier';
import { distance } from 'fastest-levenshtein';
import { element } from '../dom/element.js';
import { MAX_ID_LENGTH } from '../dom/visible-text.js';
import { issuerFragment } from '../route.js';
import { issuer as text } from '../texts/en.js';

const MAX_SUGGESTIONS = 5;

/** The ids that are most similar to an unknown id, most similar first. */
export function similarIds(wanted: string, issuers: readonly Pick<Issuer, 'issuer_id'>[]): string[] {
  const unknown = wanted.toLowerCase().slice(0, MAX_ID_LENGTH);
  // If more than half of the characters differ, a similarity is a coincidence.
  const maxDistance = Math.max(2, unknown.length / 2);
  return issuers
    .map(({ issuer_id: id }) => ({
      id,
      edits: isPart(unknown, id) || isPart(id, unknown) ? 1 : distance(unknown, id),
    }))
    .filter(({ edits }) => unknown !== '' && edits <= maxDistance)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id }) => id);
}

function isPart(part: string, whole: string): boolean {
  return part.length > 2 && whole.includes(part);
}

/**
 * A list of similar ids, with a link to each.
 *
 * @param base - the URL of the page with the issuers; empty if that is the current page
 */
export function similarIdsView(similar: readonly string[], base: string): HTMLElement {
  if (similar.length === 0) return element('p', {}, text.notSimilar);
  const links = similar.map((found) =>
    element('li', {}, element('a', { href: base + issuerFragment(found) }, found)),
  );
  return element('div', {}, element('p', {}, text.similar), element('ul', { class: 'near' }, links));
}
