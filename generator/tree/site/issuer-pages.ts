import { PATHS } from '../paths.js';
import { type Html, html } from './html.js';
import { type IndexPageParts, type IssuerPagePieces, issuerPageTemplate, urlBelow } from './pages.js';
import { type PlainIssuer, plainIssuers, timeInWords } from './plain-issuer.js';
import { Words } from './website-files.js';

/**
 * Returns a page for each issuer, which says what the list says until its script has verified the issuer, and a sitemap
 * (rule issuer-pages). A page depends on nothing but its record and the settings, so that the
 * next publication leaves most of them as they are.
 */
export function issuerPages(parts: IndexPageParts): Map<string, Uint8Array> {
  const words = new Words(parts.page?.language);
  const page = issuerPageTemplate(parts, words);
  const labels = labelsOf(words);
  const pages = new Map<string, Uint8Array>();
  for (const one of plainIssuers(parts.list, parts.names, words)) {
    pages.set(PATHS.issuerPage(one.issuer.issuer_id), Buffer.from(page(piecesOf(one, words, labels))));
  }
  const { baseUrl } = parts.page ?? {};
  if (baseUrl !== undefined)
    pages.set(
      PATHS.sitemap,
      Buffer.from(sitemap(['', ...pages.keys()].map((path) => urlBelow(baseUrl, path)))),
    );
  return pages;
}

/** The words that all pages have, found once. */
type Labels = Readonly<Record<(typeof FIELDS)[number], Html>>;
const FIELDS = [
  'issuer_id',
  'status',
  'status_reason',
  'tier',
  'certified_since',
  'geographical_scope',
  'domain_scope',
  'passport_types',
] as const;

function labelsOf(words: Words): Labels {
  return Object.fromEntries(FIELDS.map((name) => [name, words.text(`field_${name}`)])) as Labels;
}

function piecesOf(one: PlainIssuer, words: Words, labels: Labels): IssuerPagePieces {
  const { issuer, about, standing } = one;
  const { issuer_id: id, certified_since } = issuer;
  const name = html`${about.name ?? id}`;
  const reason =
    about.status_reason && html` ${words.text('plain_reason', { reason: html`${about.status_reason}` })}`;
  const values = {
    name: about.name === undefined ? name : html`${name} (${id})`,
    standing,
    since: html`${words.day(certified_since)}`,
  };
  return {
    id,
    title: html`${name}: ${standing}`,
    summary: html`${words.text('plain_summary', values)}${reason || ''}`,
    heading: name,
    content: facts(one, words, labels),
  };
}

/** The facts for readers without a script. */
function facts({ issuer, about, standing }: PlainIssuer, words: Words, labels: Labels): Html {
  const { issuer_id: id, tier, certified_since } = issuer;
  const field = (name: keyof Labels, value: Html | string) =>
    html`<div><dt>${labels[name]}</dt><dd>${value}</dd></div>\n`;
  const reason = about.status_reason;
  const scopes = (['geographical_scope', 'domain_scope', 'passport_types'] as const).flatMap((name) => {
    const values = issuer[name];
    return values === undefined ? [] : [field(name, values.join(', ') || words.text('plain_none'))];
  });
  const fields = [
    field('issuer_id', id),
    field('status', standing),
    ...(reason === undefined ? [] : [field('status_reason', html`<q class="said"><bdi>${reason}</bdi></q>`)]),
    field('tier', tier),
    field('certified_since', timeInWords(certified_since, words)),
    ...scopes,
  ];
  return html`<p>${words.text('plain_unverified')} <a href="${PATHS.record(id)}">JSON</a></p>
<dl class="fields">
${fields}</dl>`;
}

function sitemap(urls: readonly string[]): string {
  return html`<?xml version="1.0" encoding="UTF-8"?>
<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">
${urls.map((url) => html`<url><loc>${url}</loc></url>\n`)}</urlset>
`.text;
}
