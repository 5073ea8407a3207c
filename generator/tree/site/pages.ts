import type { RootKey } from '@passport-registry/verifier';
import type { ListBytes } from '../../list/list.js';
import type { HeldBy } from '../held-by.js';
import { PATHS } from '../paths.js';
import type { RegistryDescription } from '../registry-description.js';
import { commands, EXAMPLE_URL } from './commands.js';
import { Html, html, type Pieces, templateOf } from './html.js';
import type { Logo } from './logo.js';
import type { PageParts } from './page-settings.js';
import { plainList } from './plain-list.js';
import { Words, websiteText } from './website-files.js';

/**
 * Allows a page only its own script, its own style sheet, its own images and requests to its own host. Trusted Types
 * prevent the script from turning strings into markup. The pages contain the policy, so that it also applies on
 * mirrors.
 */
export const CONTENT_SECURITY_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self'",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

/** The page of an issuer has the URLs of the page, one folder above. */
export const ISSUER_PAGE_POLICY = CONTENT_SECURITY_POLICY.replace("base-uri 'none'", "base-uri 'self'");

/** The values that the page shows. */
export interface IndexPageParts {
  readonly list: ListBytes;
  /** The key whose thumbprint the page pins. */
  readonly rootKey: RootKey;
  /** The statements without which the page refuses the registry. Default: none. */
  readonly required?: readonly ('publication' | 'checkpoint')[] | undefined;
  /** The name of the log in which the lists are. Undefined if the registry has none. */
  readonly log?: string | undefined;
  readonly development: boolean;
  /** Who shares the root key, as the published record says. */
  readonly heldBy?: HeldBy | undefined;
  /** about.json, which has the names of the issuers. */
  readonly names?: Uint8Array | undefined;
  readonly about?: RegistryDescription | undefined;
  readonly page?: PageParts | undefined;
}

/** Whether each issuer has a page of its own. */
export function hasIssuerPages({ list, page }: Pick<IndexPageParts, 'list' | 'page'>): boolean {
  return list.records.size <= (page?.issuers ?? 0);
}

/** Returns index.html, the page at the URL of the registry. */
export function indexPage(parts: IndexPageParts): string {
  const words = new Words();
  const template = websiteText('index.html').replaceAll(/<!-- (?:list|end) -->/g, '');
  return templateOf(
    template,
    commonPieces(parts, words),
  )({
    policy: new Html(CONTENT_SECURITY_POLICY),
    head: hasIssuerPages(parts) ? html`<meta name="registry-pages" content="true">\n` : html``,
    title: html`${nameOf(parts, words)}`,
    heading: words.text('issuers'),
    content: plainList({ list: parts.list, names: parts.names, linked: hasIssuerPages(parts) }, words),
    commands: html`${commands(parts.rootKey)}`,
  }).toString();
}

/** What programs that show links, and search engines, read of the page of an issuer. */
const ISSUER_HEAD = `<base href="../">
<meta name="registry-view" content="issuer={{id}}">
<meta name="description" property="og:description" content="{{summary}}{{alike}}{{reason}}">
<meta property="og:type" content="website">
<meta property="og:site_name" content="{{name}}">
<meta property="og:title" content="{{named}}">
`;
const ISSUER_URL = `<link rel="canonical" href="{{base}}${PATHS.issuerPage('{{id}}')}">
<meta property="og:url" content="{{base}}${PATHS.issuerPage('{{id}}')}">
`;

/**
 * Returns a function that makes the page of an issuer: the page of the registry without the list, with other words.
 *
 * @param inner - a template for the summary, and one for the facts
 */
export function issuerPageTemplate(
  parts: IndexPageParts,
  words: Words,
  inner: { readonly summary: string; readonly content: string },
): (pieces: Pieces) => Uint8Array {
  const { baseUrl } = parts.page ?? {};
  const own: Readonly<Record<string, string>> = {
    head: ISSUER_HEAD.replace('{{summary}}', inner.summary) + (baseUrl === undefined ? '' : ISSUER_URL),
    title: '{{issuer}}: {{standing}} – {{name}}',
    heading: '{{issuer}}',
    content: inner.content,
  };
  const template = websiteText('index.html')
    .replaceAll(/<!-- list -->[\s\S]*?<!-- end -->/g, '')
    .replaceAll(/\{\{(\w+)\}\}/g, (place, name: string) => own[name] ?? place);
  const base = html`${urlBelow(baseUrl ?? '', '')}`;
  return templateOf(template, {
    ...commonPieces(parts, words),
    policy: new Html(ISSUER_PAGE_POLICY),
    base,
    registry: html`${baseUrl ?? EXAMPLE_URL}`,
  });
}

/** The URL of a file below the URL of the registry. */
export function urlBelow(base: string, path: string): string {
  return `${base.replace(/\/$/, '')}/${path}`;
}

/** What all pages of a registry have in common. */
function commonPieces(parts: IndexPageParts, words: Words): Pieces {
  const { rootKey, required = [], log, development, heldBy, about = {}, page = {} } = parts;
  return {
    ...words.all(),
    root_key: html`${rootKey.thumbprint}`,
    required: html`${required.join(' ')}`,
    log: log === undefined ? html`` : html`\n<meta name="registry-log" content="${log}">`,
    holders: heldBy === undefined ? html`` : holdersTag(heldBy, words),
    name: html`${nameOf(parts, words)}`,
    logo: page.logo === undefined ? html`` : logoImage(page.logo),
    description: descriptionLine(about, words),
    operator: operatorLinks(about, words),
    development: development ? html`<p class="development">${words.text('development')}</p>` : html``,
  };
}

const nameOf = ({ about }: Pick<IndexPageParts, 'about'>, words: Words) =>
  about?.name ?? words.text('missing_name').text;

/** The name beside it says whose logo it is. */
function logoImage({ ending, ratio }: Logo): Html {
  const src = PATHS.asset(`logo.${ending}`);
  return html`<img class="logo" src="${src}" alt="" width="${Math.round(40 * ratio)}" height="40">\n`;
}

/** The script shows the sentence beside the root key, as text. */
function holdersTag({ threshold, names, split }: HeldBy, words: Words): Html {
  const values = {
    threshold: html`${threshold}`,
    count: html`${names.length}`,
    names: html`${words.names(names)}`,
  };
  return html`
<meta name="registry-holders" content="${words.text(split ? 'held_by_split' : 'held_by', values)}">`;
}

/** Returns 404.html, the page for missing files. It is the same in every registry. */
export function notFoundPage(): string {
  const policy = new Html(CONTENT_SECURITY_POLICY);
  return templateOf(websiteText('404.html'), new Words().all())({ policy }).toString();
}

/** A registry with a name and no description still has to say what it is. */
function descriptionLine({ name, description }: RegistryDescription, words: Words): Html {
  const said =
    description === undefined
      ? words.text(name === undefined ? 'about' : 'missing_name')
      : html`${description}`;
  return html`<p class="description" dir="auto">${said}</p>`;
}

function operatorLinks({ contact, homepage }: RegistryDescription, words: Words): Html {
  const page = homepage && html`<a href="${homepage}" rel="noopener noreferrer">${homepage}</a>`;
  const mail = contact && html`<a href="${mailUrl(contact)}">${contact}</a>`;
  if (!page && !mail) return html``;
  const addresses = html`${page ?? ''}${page && mail ? ', ' : ''}${mail ?? ''}`;
  return html`<p>${words.text('operator', { addresses })}</p>
`;
}

/** Escapes the address, because a mailbox may contain `?` and `&`, which would add recipients (RFC 6068). */
function mailUrl(address: string): string {
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}`;
}
