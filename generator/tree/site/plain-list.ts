import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import {
  type AboutIssuer,
  alikeIssuers,
  instantOf,
  lookOf,
  recognitionOf,
  sinceOf,
  standingOf,
} from '@passport-registry/verifier/core';
import type { ListBytes } from '../../list/list.js';
import { PATHS } from '../paths.js';
import { type Html, html } from './html.js';
import type { Words } from './website-files.js';

/** With more issuers, the page would be too large to rewrite with each publication. */
const MAX_ISSUERS = 1000;

/** A phone has no room for this column. */
const WIDE = html` class="wide"`;

/**
 * Returns the list as HTML, for readers without JavaScript. Nothing verifies this copy, and the page says so. It does not know
 * who is on hold.
 *
 * @param names - about.json of the registry, if it has one
 */
export function plainList(list: ListBytes, names: Uint8Array | undefined, words: Words): Html {
  const { records, updatedAt } = list;
  if (records.size > MAX_ISSUERS) return html`<p>${words.text('plain_too_many')}</p>`;
  const time = timeInWords(updatedAt, words);
  const titles = (['plain_issuer', 'plain_status', 'plain_tier', 'plain_since'] as const).map(
    (name) => html`<th scope="col"${name === 'plain_tier' ? WIDE : html``}>${words.text(name)}</th>`,
  );
  return html`<p>${words.text('plain_list', { count: html`${records.size}`, time })}</p>
<table class="issuers plain">
<thead><tr>${titles}</tr></thead>
<tbody>
${rows(list, names, words)}</tbody>
</table>`;
}

function rows({ list, updatedAt }: ListBytes, names: Uint8Array | undefined, words: Words): Html[] {
  const decoder = new TextDecoder();
  // This build has made both files.
  const known = names === undefined ? {} : JSON.parse(decoder.decode(names)).issuers;
  const about = new Map<string, AboutIssuer>(Object.entries(known));
  const { issuers }: IssuerRegistry = JSON.parse(decoder.decode(list));
  // By the time of the list, because the same list always gives the same page.
  const now = instantOf(updatedAt);
  const standing = (issuer: Issuer) =>
    words.word(`standing_${standingOf(issuer, issuer.status, now)}`, issuer.status);
  const named = about.size === 0 ? [] : issuers;
  const looks = named.map((issuer) => lookOf(issuer, about.get(issuer.issuer_id)?.name));
  const alikeTo = alikeIssuers(looks, now);
  return issuers.map((issuer) => {
    const { issuer_id, tier, certified_since } = issuer;
    const { alike, unnamed } = alikeTo.get(issuer_id) ?? { alike: [], unnamed: 0 };
    const others = alike.map((one, at) => html`${at === 0 ? '' : ', '}${one.issuer_id} (${standing(one)})`);
    if (unnamed > 0) others.push(html` +${unnamed}`);
    const { name } = about.get(issuer_id) ?? {};
    const title = name === undefined ? html`${issuer_id}` : html`<bdi>${name}</bdi>`;
    const id = name === undefined ? html`` : html` <span class="host">${issuer_id}</span>`;
    const note =
      others.length === 0
        ? html``
        : html` <span class="host">${words.text('plain_alike', { others: html`${others}` })}</span>`;
    const since = sinceOf(issuer, issuer.status, now);
    // The title of the column says "Since".
    const label =
      since === recognitionOf(issuer)
        ? html``
        : html`<span class="host">${words.text(`since_${since}`)}</span> `;
    return html`<tr><th scope="row"><a href="${PATHS.record(issuer_id)}">${title}</a>${id}${note}</th><td>${standing(issuer)}</td><td${WIDE}>${tier}</td><td>${label}${timeInWords(certified_since, words)}</td></tr>
`;
  });
}

/** The day of a time in words, in the time zone in which it is written. A text that is no time stays as it is. */
function timeInWords(time: string, words: Words): Html {
  return html`<time datetime="${time}">${words.day(time)}</time>`;
}
