import type { Changes } from '@passport-registry/verifier/core';
import { PATHS } from '../paths.js';
import { changesBytes } from './changes.js';
import { type IndexPageParts, indexPage } from './pages.js';
import { websiteFile, websiteScripts, websiteText } from './website-files.js';

/** Returns the page, its assets and the changes, by path. */
export function siteFiles(parts: IndexPageParts, changes: Changes): Map<string, Uint8Array> {
  const text = (content: string) => new TextEncoder().encode(content);
  const { logo } = parts;
  const assets: [string, Uint8Array][] = [
    ['registry.css', text(websiteText('registry.css'))],
    ['icon.svg', websiteFile('icon.svg')],
  ];
  for (const name of websiteScripts()) assets.push([name, websiteFile(`assets/${name}`)]);
  if (logo !== undefined) assets.push([`logo.${logo.ending}`, logo.bytes]);
  return new Map([
    [PATHS.page, text(indexPage(parts))],
    ...assets.map(([name, bytes]): [string, Uint8Array] => [PATHS.asset(name), bytes]),
    [PATHS.changes, changesBytes(changes)],
  ]);
}
