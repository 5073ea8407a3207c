import { distance } from 'fastest-levenshtein';
import { MAX_ID_LENGTH } from '../dom/visible-text.js';

const MAX_SUGGESTIONS = 5;

/** The ids that are most similar to an unknown id, most similar first. */
export function similarIds(wanted: string, ids: readonly string[]): string[] {
  const text = wanted.toLowerCase().slice(0, MAX_ID_LENGTH);
  // If more than half of the characters differ, a similarity is a coincidence.
  const maxDistance = Math.max(2, text.length / 2);
  return ids
    .map((id) => ({ id, edits: isPart(text, id) || isPart(id, text) ? 1 : distance(text, id) }))
    .filter(({ edits }) => text !== '' && edits <= maxDistance)
    .sort((a, b) => a.edits - b.edits)
    .slice(0, MAX_SUGGESTIONS)
    .map(({ id }) => id);
}

function isPart(part: string, whole: string): boolean {
  return part.length > 2 && whole.includes(part);
}
