import type { Issuer } from '@passport-registry/verifier';
import { STANDINGS } from '@passport-registry/verifier/core';
import { element, rich } from '../dom/element.js';
import { PARAMETERS, type Query } from '../route.js';
import { hints as text } from '../texts.js';
import type { IssuerSearch } from './search.js';
import { similarIssuers, similarIssuersView } from './similar-issuers.js';

/** The words for `status` in links: the words of the page, and `active` of the list. */
const STATUSES: readonly string[] = [...STANDINGS, 'active'];

/** How long the reader has to pause before a hint appears, in milliseconds. */
const PAUSE_MS = 300;
/** How many ids are compared at once. The reader may go on typing. */
const IDS_AT_ONCE = 1000;

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));

/**
 * What may help a reader whose search finds nothing.
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
  const { issuers, names, hold } = search;
  const unknown = unknownNote(query);
  if (found > 0 || query.text === '') return unknown;
  await pause(PAUSE_MS);
  let similar: readonly Issuer[] = [];
  for (let at = 0; at < issuers.length && isWanted(); at += IDS_AT_ONCE) {
    similar = similarIssuers(query.text.trim(), [...similar, ...issuers.slice(at, at + IDS_AT_ONCE)], names);
    await pause(0);
  }
  return similar.length === 0 ? unknown : [...unknown, similarIssuersView(similar, { hold, names })];
}

/** Says what a link asks for that is no filter of the list, so that nobody takes the whole list for the answer. */
function unknownNote({ status }: Query): HTMLElement[] {
  const asked = [...new URLSearchParams(location.hash.slice(1))].filter(
    ([name, value]) =>
      value !== '' && (name === 'status' ? !STATUSES.includes(status) : !PARAMETERS.includes(name)),
  );
  if (asked.length === 0) return [];
  const names = asked.map(([name, value]) => `${name}=${value}`).join(', ');
  return [element('p', { class: 'note' }, rich(text.unknown, { names }))];
}
