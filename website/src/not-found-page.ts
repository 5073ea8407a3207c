import { byId, element } from './element.js';
import { suggestions } from './issuer-view.js';
import { issuerFragment } from './route.js';
import { showFailure } from './verification-view.js';
import { fetchRootKey, notVerified, verifiedRegistry } from './verified-registry.js';

/** The page for a URL that does not exist. It suggests issuers with similar ids. */
export async function notFoundPage(base: URL): Promise<void> {
  byId('list-link').setAttribute('href', base.href);
  const id = requestedId(base);
  if (id === '') return;
  try {
    // This page is the same in every registry, so it pins no root key. The page that a suggestion links to does.
    const rootKey = await fetchRootKey(base, undefined);
    const registry = await verifiedRegistry(base, rootKey, () => undefined);
    registry.close();
    const isListed = registry.resolve(id) !== undefined;
    byId('not-found').replaceChildren(
      isListed
        ? element(
            'p',
            {},
            'The list contains ',
            element('a', { href: base.href + issuerFragment(id) }, id),
            ', but this host does not serve the file of this issuer.',
          )
        : suggestions(id, registry, base.href),
    );
  } catch (error) {
    showFailure(notVerified(error));
  }
}

/** The id in the URL: the last segment of its path. */
function requestedId(base: URL): string {
  const name = location.pathname.slice(base.pathname.length).split('/').filter(Boolean).at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
