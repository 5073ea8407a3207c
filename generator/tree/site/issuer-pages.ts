import { TRUSTED_TIERS } from '@passport-registry/verifier/core';
import { PATHS } from '../paths.js';
import { type Html, html, type Pieces } from './html.js';
import { type IndexPageParts, issuerPageTemplate, urlBelow } from './pages.js';
import { type PlainIssuer, plainIssuers } from './plain-issuer.js';
import { Words } from './website-files.js';

/**
 * Returns a page for each issuer, which says what the list says until its script has verified the issuer, and a sitemap
 * (rule issuer-pages). A page depends on its record, the settings and the issuers with a name that looks the same, so that the
 * next publication leaves most of them as they are.
 */
export function issuerPages(parts: IndexPageParts): Map<string, Uint8Array> {
  const words = new Words();
  const page = issuerPageTemplate(parts, words, { summary: summaryTemplate(words), content: CONTENT });
  const pages = new Map<string, Uint8Array>();
  const row = rowIn(words);
  for (const one of plainIssuers(parts.list, parts.names, words)) {
    pages.set(PATHS.issuerPage(one.issuer.issuer_id), page(piecesOf(one, words, row)));
  }
  const { baseUrl } = parts.page ?? {};
  if (baseUrl !== undefined)
    pages.set(
      PATHS.sitemap,
      Buffer.from(sitemap(['', ...pages.keys()].map((path) => urlBelow(baseUrl, path)))),
    );
  return pages;
}

const fact = (name: string, value: string) => `<div><dt>{{text.field_${name}}}</dt><dd>${value}</dd></div>\n`;

/** The facts for readers without a script, and how to check them. */
const CONTENT = `<p>{{text.plain_unverified}} <a href="${PATHS.record('{{id}}')}">JSON</a></p>
{{alike_note}}<dl class="fields">
${fact('issuer_id', '{{id}}')}${fact('status', '{{standing}}')}{{reason_row}}${fact('tier', '{{tier}}')}<div><dt>{{label}}</dt><dd><time datetime="{{since}}">{{day}}</time></dd></div>
{{scopes}}</dl>
{{soon}}<p>{{text.plain_check}}</p>
<pre><code>passport-registry pin {{registry}} \\
 --thumbprint THUMBPRINT
passport-registry resolve {{id}} \\
 --tier ${TRUSTED_TIERS.join()} --root-key trust-anchor.json</code></pre>
<p>{{text.plain_thumbprint}} <code>{{root_key}}</code></p>`;

/** What the issuer is, in a few words, for search engines and for others who show a link. */
function summaryTemplate(words: Words): string {
  const [name, standing, label, since] = ['{{named}}', '{{standing}}', '{{label}}', '{{day}}'].map(
    (place) => html`${place}`,
  );
  return words.text('plain_summary', { name, standing, label, since } as Record<string, Html>).text;
}

type Field = 'status_reason' | (typeof SCOPES)[number];
const SCOPES = ['geographical_scope', 'domain_scope', 'passport_types'] as const;

/** Makes the rows that not every issuer has, with words that are found once. */
function rowIn(words: Words) {
  const labels = new Map<Field, Html>(
    (['status_reason', ...SCOPES] as const).map((name) => [name, words.text(`field_${name}`)]),
  );
  return (name: Field, value: Html | string) =>
    html`<div><dt>${labels.get(name) ?? ''}</dt><dd>${value}</dd></div>\n`;
}

function piecesOf(
  { issuer, about, standing, since, isNotYet, alike }: PlainIssuer,
  words: Words,
  row: ReturnType<typeof rowIn>,
): Pieces {
  const { certified_since } = issuer;
  const id = html`${issuer.issuer_id}`;
  const name = about.name === undefined ? id : html`${about.name}`;
  const said = about.status_reason === undefined ? undefined : html`${about.status_reason}`;
  return {
    id,
    issuer: name,
    named: name === id ? id : html`${name} (${id})`,
    standing,
    reason: said === undefined ? NOTHING : html` ${words.text('plain_reason', { reason: said })}`,
    alike: alike === undefined ? NOTHING : html` ${alike}`,
    alike_note: alike === undefined ? NOTHING : html`<p>${alike}</p>\n`,
    reason_row:
      said === undefined ? NOTHING : row('status_reason', html`<q class="said"><bdi>${said}</bdi></q>`),
    tier: html`${issuer.tier}`,
    label: since,
    soon: isNotYet ? html`<p>${words.text('plain_not_yet')}</p>\n` : NOTHING,
    since: html`${certified_since}`,
    day: html`${words.day(certified_since)}`,
    scopes: html`${SCOPES.flatMap((scope) => {
      const values = issuer[scope];
      if (values === undefined) return [];
      const said = scope === 'geographical_scope' ? values.map((code) => words.place(code)) : values;
      return [row(scope, said.join(', ') || words.text('plain_none'))];
    })}`,
  };
}

const NOTHING = html``;

function sitemap(urls: readonly string[]): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.map((url) => html`<url><loc>${url}</loc></url>\n`)}</urlset>
`.text;
}
