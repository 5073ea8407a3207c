import type { ListBytes } from '../../list/list.js';
import { PATHS } from '../paths.js';
import { type Html, html } from './html.js';
import { type PlainIssuer, plainIssuers, timeInWords } from './plain-issuer.js';
import type { Words } from './website-files.js';

/** With more issuers, the page would be too large to rewrite with each publication. */
const MAX_ISSUERS = 1000;

/** A phone has no room for this column. */
const WIDE = html` class="wide"`;

/**
 * Returns the list as HTML, for readers without JavaScript. Nothing verifies this copy, and the page says so.
 *
 * @param names - about.json of the registry, if it has one
 * @param linked - whether each issuer has a page of its own
 */
export function plainList(
  { list, names, linked }: { list: ListBytes; names: Uint8Array | undefined; linked: boolean },
  words: Words,
): Html {
  if (list.records.size > MAX_ISSUERS) return html`<p>${words.text('plain_too_many')}</p>`;
  const time = timeInWords(list.updatedAt, words);
  const titles = (['plain_issuer', 'plain_status', 'plain_tier', 'plain_since'] as const).map(
    (name) => html`<th scope="col"${name === 'plain_tier' ? WIDE : html``}>${words.text(name)}</th>`,
  );
  const rows = plainIssuers(list, names, words).map((one) => row(one, linked, words));
  return html`<p>${words.text('plain_list', { count: html`${list.records.size}`, time })}</p>
<table class="issuers plain">
<thead><tr>${titles}</tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

function row(
  { issuer, about, standing, since, isSince, alike }: PlainIssuer,
  linked: boolean,
  words: Words,
): Html {
  const { issuer_id, tier, certified_since } = issuer;
  const path = linked ? PATHS.issuerPage(issuer_id) : PATHS.record(issuer_id);
  const { name } = about;
  const link = html`<a href="${path}">${name === undefined ? issuer_id : html`<bdi>${name}</bdi>`}</a>`;
  const id = name === undefined ? html`` : html` <span class="host">${issuer_id}</span>`;
  const note = alike === undefined ? html`` : html` <span class="host">${alike}</span>`;
  const label = isSince ? html`` : html`<span class="host">${since}</span> `;
  return html`<tr><th scope="row">${link}${id}${note}</th><td>${standing}</td><td${WIDE}>${tier}</td><td>${label}${timeInWords(certified_since, words)}</td></tr>
`;
}
