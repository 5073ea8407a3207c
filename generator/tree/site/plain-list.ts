import type { Issuer } from '@passport-registry/verifier';
import type { ListBytes } from '../../list/list.js';
import { PATHS } from '../paths.js';
import { type Html, html } from './html.js';
import { pageText } from './website-files.js';

/** With more issuers, the page would be too large to rewrite with each publication. */
const MAX_ISSUERS = 1000;

/** Returns the list as HTML, for readers without JavaScript. Nothing verifies this copy, and the page says so. */
export function plainList({ records, updatedAt }: ListBytes): Html {
  if (records.size > MAX_ISSUERS) return html`<p>${pageText('plain_too_many')}</p>`;
  const rows = [...records.values()].map((bytes) => row(JSON.parse(new TextDecoder().decode(bytes))));
  const time = html`<time datetime="${updatedAt}">${updatedAt}</time>`;
  const titles = (['plain_issuer', 'plain_status', 'plain_tier', 'plain_since'] as const).map(
    (name) => html`<th scope="col">${pageText(name)}</th>`,
  );
  return html`<p>${pageText('plain_list', { count: html`${records.size}`, time })}</p>
<table class="issuers">
<thead><tr>${titles}</tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

function row({ issuer_id, status, tier, certified_since }: Issuer): Html {
  return html`<tr><th scope="row"><a href="${PATHS.record(issuer_id)}">${issuer_id}</a></th><td>${status}</td><td>${tier}</td><td>${certified_since}</td></tr>
`;
}
