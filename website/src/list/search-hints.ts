import { element, rich } from '../dom/element.js';
import { listFragment, type Query } from '../route.js';
import { hints as text } from '../texts/en.js';
import { otherNames, placeName } from './places.js';
import { fold, type IssuerSearch } from './search.js';
import { similarIds, similarIdsView } from './similar-ids.js';

/** How long the reader has to pause before a hint appears, in milliseconds. */
const PAUSE_MS = 300;
/** How many ids are compared at once. The reader may go on typing. */
const IDS_AT_ONCE = 1000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * What may help a reader whose search names a place, or finds nothing.
 *
 * @param found - the number of issuers that the search found
 * @param isWanted - whether the reader still waits for the hints
 */
export async function searchHints(
  query: Query,
  search: IssuerSearch,
  found: number,
  isWanted: () => boolean,
): Promise<readonly HTMLElement[]> {
  const { issuers } = search;
  await pause(PAUSE_MS);
  if (!isWanted()) return [];
  const place = placeHint(query, search);
  if (found > 0) return place;
  let similar: string[] = [];
  for (let at = 0; at < issuers.length && isWanted(); at += IDS_AT_ONCE) {
    const best = similar.map((issuer_id) => ({ issuer_id }));
    similar = similarIds(query.text.trim(), [...best, ...issuers.slice(at, at + IDS_AT_ONCE)], search.names);
    await pause(0);
  }
  return similar.length === 0 ? place : [...place, similarIdsView(similar, '', search.names)];
}

/** A link to the issuers for the country that a search names. The search itself finds only texts in records. */
function placeHint(query: Query, search: IssuerSearch): HTMLElement[] {
  const searched = ` ${fold(query.text).trim()} `;
  for (const code of search.valuesOf('geographical_scope')) {
    if (code === 'global' || code.includes('-')) continue;
    const names = [placeName(code), ...otherNames(code)].map(fold);
    const named = names.find((name) => searched.includes(` ${name} `));
    if (named === undefined) continue;
    const rest = searched.replace(` ${named} `, ' ').trim();
    const href = listFragment({ ...query, text: rest, geography: code, page: 1 });
    const place = element('a', { href }, placeName(code));
    return [element('p', { class: 'note' }, rich(text.covering, { place }))];
  }
  return [];
}
