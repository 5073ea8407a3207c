import type { RootKey } from '@passport-registry/verifier';
import { packageFile } from '../../files/package-file.js';
import type { ListBytes } from '../../list/list.js';
import { commands } from './commands.js';
import { fillTemplate, html } from './html.js';
import { plainList } from './plain-list.js';

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

/** Reads a file of the page from the package. */
export function websiteFile(name: string): Uint8Array {
  return packageFile(`build/website/${name}`);
}

const template = (name: string) => new TextDecoder().decode(websiteFile(name));

/** The values that the page shows. */
export interface IndexPageParts {
  readonly list: ListBytes;
  /** The key whose thumbprint the page pins. */
  readonly rootKey: RootKey;
  readonly development: boolean;
}

/** Returns index.html, the page at the URL of the registry. */
export function indexPage({ list, rootKey, development }: IndexPageParts): string {
  return fillTemplate(template('index.html'), {
    policy: html`${CONTENT_SECURITY_POLICY}`,
    root_key: html`${rootKey.thumbprint}`,
    development: development ? DEVELOPMENT_NOTICE : html``,
    list: plainList(list),
    commands: html`${commands(rootKey)}`,
  });
}

/** Returns 404.html, the page for missing files. It is the same in every registry. */
export function notFoundPage(): string {
  return fillTemplate(template('404.html'), { policy: html`${CONTENT_SECURITY_POLICY}` });
}

const DEVELOPMENT_NOTICE = html`<p class="development"><strong>Signed by a development key.</strong> Nobody stands behind this registry: do not trust its issuers, do not pin its key.</p>`;
