import type { RootKey } from '@passport-registry/verifier';
import type { ListBytes } from '../../list/list.js';
import { DEFAULT_NAME, type RegistryDescription } from '../registry-description.js';
import { commands } from './commands.js';
import { fillTemplate, type Html, html } from './html.js';
import { plainList } from './plain-list.js';
import { pageText, pageTexts, websiteFile } from './website-files.js';

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

const template = (name: string) => new TextDecoder().decode(websiteFile(name));

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
  readonly heldBy?: string | undefined;
  /** about.json, which has the names of the issuers. */
  readonly names?: Uint8Array | undefined;
  readonly about?: RegistryDescription | undefined;
}

/** Returns index.html, the page at the URL of the registry. */
export function indexPage(parts: IndexPageParts): string {
  const { list, rootKey, required = [], log, development, heldBy, names, about = {} } = parts;
  return fillTemplate(template('index.html'), {
    ...shell(),
    root_key: html`${rootKey.thumbprint}`,
    required: html`${required.join(' ')}`,
    log: log === undefined ? html`` : html`\n<meta name="registry-log" content="${log}">`,
    holders: heldBy === undefined ? html`` : holdersTag(heldBy),
    name: html`${about.name ?? DEFAULT_NAME}`,
    description: descriptionLine(about),
    operator: operatorLinks(about),
    development: development ? html`<p class="development">${pageText('development')}</p>` : html``,
    list: plainList(list, names),
    commands: html`${commands(rootKey)}`,
  });
}

/** What every page contains. */
function shell(): Readonly<Record<string, Html>> {
  return { policy: html`${CONTENT_SECURITY_POLICY}`, ...pageTexts() };
}

/** The script shows the sentence beside the root key, as text. */
function holdersTag(heldBy: string): Html {
  return html`
<meta name="registry-holders" content="${pageText('held_by', { heldBy: html`${heldBy}` })}">`;
}

/** Returns 404.html, the page for missing files. It is the same in every registry. */
export function notFoundPage(): string {
  return fillTemplate(template('404.html'), shell());
}

/** A registry with a name and no description still has to say what it is. */
function descriptionLine({ name, description = name && DEFAULT_NAME }: RegistryDescription): Html {
  return html`<p class="description" dir="auto">${description ?? pageText('about')}</p>`;
}

function operatorLinks({ contact, homepage }: RegistryDescription): Html {
  const page = homepage && html`<a href="${homepage}" rel="noopener noreferrer">${homepage}</a>`;
  const mail = contact && html`<a href="${mailUrl(contact)}">${contact}</a>`;
  if (!page && !mail) return html``;
  const addresses = html`${page ?? ''}${page && mail ? ', ' : ''}${mail ?? ''}`;
  return html`<p>${pageText('operator', { addresses })}</p>
`;
}

/** Escapes the address, because a mailbox may contain `?` and `&`, which would add recipients (RFC 6068). */
function mailUrl(address: string): string {
  return `mailto:${encodeURIComponent(address).replace('%40', '@')}`;
}
