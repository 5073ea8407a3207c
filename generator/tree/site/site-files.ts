import type { Changes } from '@passport-registry/verifier/core';
import { PATHS } from '../paths.js';
import { accentRules } from './accent.js';
import { atomFeed } from './atom.js';
import { changesBytes } from './changes.js';
import { issuerPages } from './issuer-pages.js';
import { hasIssuerPages, type IndexPageParts, indexPage } from './pages.js';
import { websiteFile, websiteScripts, websiteText } from './website-files.js';

/** The content of the page and of the feed. */
interface SiteParts extends IndexPageParts {
  readonly changes: Changes;
}

/** Returns the page, its assets, the pages of issuers, and the changes, by path. */
export function siteFiles(parts: SiteParts): Map<string, Uint8Array> {
  const text = (content: string) => new TextEncoder().encode(content);
  const { language = 'en', accent, logo } = parts.page ?? {};
  const style = websiteText('registry.css', language) + (accent === undefined ? '' : accentRules(accent));
  const assets: [string, Uint8Array][] = [
    ['registry.css', text(style)],
    ['icon.svg', websiteFile('icon.svg', language)],
    ...websiteScripts(language).map((name): [string, Uint8Array] => [
      name,
      websiteFile(`assets/${name}`, language),
    ]),
  ];
  if (logo !== undefined) assets.push([`logo.${logo.ending}`, logo.bytes]);
  return new Map([
    [PATHS.page, text(indexPage(parts))],
    ...assets.map(([name, bytes]): [string, Uint8Array] => [PATHS.asset(name), bytes]),
    ...(hasIssuerPages(parts) ? issuerPages(parts) : []),
    [PATHS.changes, changesBytes(parts.changes)],
    [PATHS.feed, text(atomFeed(parts.changes, parts.about))],
  ]);
}
