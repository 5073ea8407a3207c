import type { RootKey } from '@passport-registry/verifier';
import type { ListBytes } from '../../list/list.js';
import { PATHS } from '../paths.js';
import type { RegistryDescription } from '../registry-description.js';
import { filled, Html, html } from './html.js';
import type { Logo } from './logo.js';
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

/** The values that the page shows. */
export interface IndexPageParts {
  readonly list: ListBytes;
  /** The key whose thumbprint the page pins. */
  readonly rootKey: RootKey;
  /** The name of the log in which the lists are. Undefined if the registry has none. */
  readonly log?: string | undefined;
  readonly development: boolean;
  /** about.json, which has the names of the issuers. */
  readonly names?: Uint8Array | undefined;
  readonly about?: RegistryDescription | undefined;
  readonly logo?: Logo | undefined;
}

/** Returns index.html, the page at the URL of the registry. */
export function indexPage(parts: IndexPageParts): string {
  const { list, rootKey, log, development, names, about = {}, logo } = parts;
  const words = new Words();
  return filled(websiteText('index.html'), {
    ...words.all(),
    policy: new Html(CONTENT_SECURITY_POLICY),
    root_key: html`${rootKey.thumbprint}`,
    log: log === undefined ? html`` : html`\n<meta name="registry-log" content="${log}">`,
    name: about.name === undefined ? words.text('missing_name') : html`${about.name}`,
    logo: logo === undefined ? html`` : logoImage(logo),
    description: descriptionLine(about, words),
    operator: operatorLinks(about, words),
    development: development ? html`<p class="development">${words.text('development')}</p>` : html``,
    list: plainList(list, names, words),
  });
}

/** The name beside it says whose logo it is. */
function logoImage({ ending, ratio }: Logo): Html {
  const src = PATHS.asset(`logo.${ending}`);
  return html`<img class="logo" src="${src}" alt="" width="${Math.round(40 * ratio)}" height="40">\n`;
}

/** Returns 404.html, the page for missing files. It is the same in every registry. */
export function notFoundPage(): string {
  return filled(websiteText('404.html'), { ...new Words().all(), policy: new Html(CONTENT_SECURITY_POLICY) });
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
