import { byId, element, rich } from './dom/element.js';
import { readNames } from './list/names.js';
import { similarIssuers, similarIssuersView } from './list/similar-issuers.js';
import { anchorOfPage, fetchRootKey, notVerified, verifiedRegistry } from './registry/verified-registry.js';
import { issuerFragment } from './route.js';
import { issuer as text } from './texts.js';
import { explainFailure } from './verification/details.js';
import { showFailure } from './verification/verdict.js';

/** The page for a URL that does not exist. It suggests issuers with similar ids. */
export async function notFoundPage(base: URL): Promise<void> {
  byId('list-link').setAttribute('href', base.href);
  const { id, folder } = requested(base);
  if (id === '') return;
  try {
    // This page is the same in every registry, so it pins no root key. The page that a suggestion links to does.
    const rootKey = await fetchRootKey(base, undefined);
    const registry = await verifiedRegistry(anchorOfPage(rootKey, base, undefined), () => undefined);
    const names = await readNames(registry);
    registry.close();
    if (registry.resolve(id) !== undefined) {
      const link = element('a', { href: base.href + issuerFragment(id) }, id);
      byId('not-found').replaceChildren(
        element('p', {}, rich(folder === 'issuers' ? text.misplaced : text.listed, { id: link })),
      );
      return;
    }
    const similar = similarIssuers(id, registry.list(), names);
    const { hold } = registry;
    // A missing URL need not be about an issuer.
    if (similar.length > 0 || folder === 'issuers')
      byId('not-found').replaceChildren(similarIssuersView(similar, { hold, names, base: base.href }));
  } catch (error) {
    const failure = notVerified(error);
    showFailure(failure);
    explainFailure(failure);
  }
}

/** The id in the URL, which is the last segment of its path, and the folder. */
function requested(base: URL): { id: string; folder: string } {
  const path = location.pathname.slice(base.pathname.length).split('/').filter(Boolean);
  const name = path.pop() ?? '';
  const folder = path.join('/');
  try {
    return { id: decodeURIComponent(name), folder };
  } catch {
    return { id: name, folder };
  }
}
