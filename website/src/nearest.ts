import { distance } from 'fastest-levenshtein';

const LONGEST = 5;
const LONGEST_ID = 128;

/** The ids that somebody may have meant, nearest first. */
export function nearestIds(wanted: string, ids: readonly string[]): string[] {
  const text = wanted.toLowerCase().slice(0, LONGEST_ID);
  // Beyond half of its length a likeness is chance.
  const far = Math.max(2, text.length / 2);
  return ids
    .map((id) => ({ id, away: isPart(text, id) || isPart(id, text) ? 1 : distance(text, id) }))
    .filter(({ away }) => text !== '' && away <= far)
    .sort((a, b) => a.away - b.away)
    .slice(0, LONGEST)
    .map(({ id }) => id);
}

function isPart(part: string, whole: string): boolean {
  return part.length > 2 && whole.includes(part);
}
