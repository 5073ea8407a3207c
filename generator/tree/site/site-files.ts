import { PATHS } from '../paths.js';
import { atomFeed } from './atom.js';
import { type Changes, changesBytes } from './changes.js';
import { type IndexPageParts, indexPage, websiteFile } from './pages.js';

/** The content of the page and of the feed. */
export interface SiteParts extends IndexPageParts {
  readonly changes: Changes;
}

/** Returns the page, its assets and the changes, by path. */
export function siteFiles(parts: SiteParts): Map<string, Uint8Array> {
  const text = (content: string) => new TextEncoder().encode(content);
  const assets = ['registry.js', 'registry.css', 'icon.svg', 'licences.txt'];
  return new Map([
    [PATHS.page, text(indexPage(parts))],
    ...assets.map((name): [string, Uint8Array] => [PATHS.asset(name), websiteFile(name)]),
    [PATHS.changes, changesBytes(parts.changes)],
    [PATHS.feed, text(atomFeed(parts.changes, parts.about))],
  ]);
}
