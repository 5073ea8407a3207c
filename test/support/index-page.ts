import type { RootKey } from '@passport-registry/verifier';
import { indexPage } from '../../build/generator/tree/site/pages.js';
import { publish, testKey } from './publication.js';
import { plainHost } from './serving.js';
import { together } from './statements.js';

export { indexPage };

/** Returns index.html of a registry without records, which no build publishes. */
export function emptyPage(rootKey: RootKey): string {
  const list = { list: Buffer.from('{"issuers":[]}'), updatedAt: '2026-01-01T00:00:00Z', records: new Map() };
  return indexPage({ list, rootKey, development: false });
}

/** A host of a registry without issuers. No build makes one, but the root key can sign one. @param dist - has the page's scripts */
export async function emptyHost(dist: string): Promise<string> {
  const key = await testKey();
  const page = Buffer.from(emptyPage(key.rootKey));
  const files = together(publish(key, []));
  return plainHost(dist, '404.html', (path, bytes) => {
    if (path === '/') return page;
    return files.get(path.slice(1)) ?? (path.startsWith('/assets/') ? bytes : undefined);
  });
}
