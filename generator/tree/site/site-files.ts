import { PATHS } from '../paths.js';
import { atomFeed } from './atom.js';
import { type Changes, changesBytes } from './changes.js';
import { type IndexPageParts, indexPage } from './pages.js';
import { websiteFile, websiteScripts } from './website-files.js';

/** The content of the page and of the feed. */
export interface SiteParts extends IndexPageParts {
  readonly changes: Changes;
}

/** Returns the page, its assets and the changes, by path. */
export function siteFiles(parts: SiteParts): Map<string, Uint8Array> {
  const text = (content: string) => new TextEncoder().encode(content);
  const assets = ['registry.css', 'icon.svg'].map((name) => [name, websiteFile(name)] as const);
  const scripts = websiteScripts().map((name) => [name, websiteFile(`assets/${name}`)] as const);
  return new Map([
    [PATHS.page, text(indexPage(parts))],
    ...[...assets, ...scripts].map(([name, bytes]): [string, Uint8Array] => [PATHS.asset(name), bytes]),
    [PATHS.changes, changesBytes(parts.changes)],
    [PATHS.feed, text(atomFeed(parts.changes, parts.about))],
  ]);
}
