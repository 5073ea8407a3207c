import type { Issuer } from '@passport-registry/verifier';
import { readAbout } from '@passport-registry/verifier/core';
import type { ListBytes } from '../../list/list.js';
import { PATHS } from '../paths.js';
import { type Html, html } from './html.js';
import { dayInWords, pageText } from './website-files.js';

/** With more issuers, the page would be too large to rewrite with each publication. */
const MAX_ISSUERS = 1000;

/**
 * Returns the list as HTML, for readers without JavaScript. Nothing verifies this copy, and the page says so.
 *
 * @param names - about.json of the registry, if it has one
 */
export function plainList({ records, updatedAt }: ListBytes, names: Uint8Array | undefined): Html {
  if (records.size > MAX_ISSUERS) return html`<p>${pageText('plain_too_many')}</p>`;
  const about = names && readAbout(names, (message) => new TypeError(message));
  const rows = [...records.values()].map((bytes) => {
    const issuer: Issuer = JSON.parse(new TextDecoder().decode(bytes));
    return row(issuer, about?.get(issuer.issuer_id)?.name);
  });
  const time = timeInWords(updatedAt);
  const titles = (['plain_issuer', 'plain_status', 'plain_tier', 'plain_since'] as const).map(
    (name) => html`<th scope="col"${name === 'plain_tier' ? WIDE : html``}>${pageText(name)}</th>`,
  );
  return html`<p>${pageText('plain_list', { count: html`${records.size}`, time })}</p>
<table class="issuers plain">
<thead><tr>${titles}</tr></thead>
<tbody>
${rows}</tbody>
</table>`;
}

/** A phone has no room for this column. */
const WIDE = html` class="wide"`;

function row({ issuer_id, status, tier, certified_since }: Issuer, name: string | undefined): Html {
  const named = name === undefined ? html`` : html` <bdi class="host">${name}</bdi>`;
  const link = html`<a href="${PATHS.record(issuer_id)}">${issuer_id}</a>`;
  return html`<tr><th scope="row">${link}${named}</th><td>${status}</td><td${WIDE}>${tier}</td><td>${timeInWords(certified_since)}</td></tr>
`;
}

/** The day of a time in words, in the time zone in which it is written. A text that is no time stays as it is. */
function timeInWords(time: string): Html {
  return html`<time datetime="${time}">${dayInWords(time)}</time>`;
}
