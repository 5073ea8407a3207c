import type { RootKey } from '@passport-registry/verifier';
import { packageFile } from '../../files/package-file.js';
import type { ListBytes } from '../../list/list.js';
import { commands } from './commands.js';
import { fillTemplate, html } from './html.js';
import { plainList } from './plain-list.js';

/**
 * What a page may do: run its own script, wear its own style, ask its own host. No text becomes markup even if the script
 * tried (Trusted Types). It stands in the pages themselves, so that it holds on every mirror.
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

/** A file of the page as the package ships it. */
export function websiteFile(name: string): Uint8Array {
  return packageFile(`build/website/${name}`);
}

const template = (name: string) => new TextDecoder().decode(websiteFile(name));

/** What the page at the registry's address shows. */
export interface IndexPageParts {
  readonly list: ListBytes;
  /** The key whose thumbprint the page pins. */
  readonly rootKey: RootKey;
  readonly development: boolean;
}

/** The page at the registry's address: index.html. */
export function indexPage({ list, rootKey, development }: IndexPageParts): string {
  return fillTemplate(template('index.html'), {
    policy: html`${CONTENT_SECURITY_POLICY}`,
    root_key: html`${rootKey.thumbprint}`,
    development: development ? DEVELOPMENT_NOTICE : html``,
    list: plainList(list),
    commands: html`${commands(rootKey)}`,
  });
}

/** The page for an address at which there is nothing: 404.html. It says the same in every registry. */
export function notFoundPage(): string {
  return fillTemplate(template('404.html'), { policy: html`${CONTENT_SECURITY_POLICY}` });
}

const DEVELOPMENT_NOTICE = html`<p class="development"><strong>Signed by a development key.</strong> Nobody stands behind this registry: do not trust its issuers, do not pin its key.</p>`;
