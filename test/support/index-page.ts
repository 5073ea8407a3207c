import type { RootKey } from '@passport-registry/verifier';
import { indexPage } from '../../build/generator/tree/site/pages.js';

export { indexPage };

/** Returns index.html of a registry without records, which no build publishes. */
export function emptyPage(rootKey: RootKey): string {
  const list = { list: Buffer.from('{"issuers":[]}'), updatedAt: '2026-01-01T00:00:00Z', records: new Map() };
  return indexPage({ list, rootKey, development: false });
}
