import type { Issuer } from '@passport-registry/verifier';
import type { ListBytes } from '../../list/list.js';
import { PATHS } from '../paths.js';
import { type Html, html } from './html.js';

/** With more issuers, the page would be too large to rewrite with each publication. */
const MAX_ISSUERS = 1000;

/** Returns the list as HTML, for readers without JavaScript. Nothing verifies this copy, and the page says so. */
export function plainList({ records, updatedAt }: ListBytes): Html {
  if (records.size > MAX_ISSUERS) {
    return html`<p>There are more issuers than this page can hold without a script: they are all in <a href="${PATHS.list}">${PATHS.list}</a>.</p>`;
  }
  const rows = [...records.values()].map((bytes) => row(JSON.parse(new TextDecoder().decode(bytes))));
  return html`<p>${records.size} issuers, as of <time datetime="${updatedAt}">${updatedAt}</time>. An active issuer may be on hold: a checkpoint says so, and this copy does not show it.</p>
<table class="issuers">
<thead><tr><th scope="col">Issuer</th><th scope="col">Status</th><th scope="col">Tier</th><th scope="col">Certified since</th></tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

function row({ issuer_id, status, tier, certified_since }: Issuer): Html {
  return html`<tr><th scope="row"><a href="${PATHS.record(issuer_id)}">${issuer_id}</a></th><td>${status}</td><td>${tier}</td><td>${certified_since}</td></tr>
`;
}
