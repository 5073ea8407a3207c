import { byId, element, rich } from './dom/element.js';
import { similarIds, similarIdsView } from './list/similar-ids.js';
import { trustAnchorOf } from './registry/trust-anchor.js';
import { fetchRootKey, notVerified, verifiedRegistry } from './registry/verified-registry.js';
import { issuerFragment } from './route.js';
import { issuer as text } from './texts/en.js';
import { explainFailure } from './verification/details.js';
import { showFailure } from './verification/verdict.js';

/** The page for a URL that does not exist. It suggests issuers with similar ids. */
export async function notFoundPage(base: URL): Promise<void> {
  byId('list-link').setAttribute('href', base.href);
  const id = requestedId(base);
  if (id === '') return;
  try {
    // This page is the same in every registry, so it pins no root key. The page that a suggestion links to does.
    const rootKey = await fetchRootKey(base, undefined);
    const registry = await verifiedRegistry(trustAnchorOf(rootKey, base), () => undefined);
    registry.close();
    const link = element('a', { href: base.href + issuerFragment(id) }, id);
    byId('not-found').replaceChildren(
      registry.resolve(id) === undefined
        ? similarIdsView(similarIds(id, registry.list()), base.href)
        : element('p', {}, rich(text.misplaced, { id: link })),
    );
  } catch (error) {
    const failure = notVerified(error);
    showFailure(failure);
    explainFailure(failure);
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
