import { byId, element } from './element.js';
import { suggestions } from './issuer-view.js';
import { issuerAddress } from './route.js';
import { showFailure } from './verification-view.js';
import { notVerified, verifiedRegistry } from './verified-registry.js';

/** The page for an address at which there is nothing: which issuer may have been meant. */
export async function notFoundPage(base: URL): Promise<void> {
  byId('list-link').setAttribute('href', base.href);
  const wanted = wantedId(base);
  if (wanted === '') return;
  try {
    // The page that a suggestion leads to pins the root key; this one is the same in every registry.
    const registry = await verifiedRegistry(base, undefined, () => undefined);
    registry.close();
    const listed = registry.resolve(wanted) !== undefined;
    byId('not-found').replaceChildren(
      listed
        ? element(
            'p',
            {},
            'The list does have ',
            element('a', { href: base.href + issuerAddress(wanted) }, wanted),
            '; only this host has not got its file.',
          )
        : suggestions(wanted, registry, base.href),
    );
  } catch (error) {
    showFailure(notVerified(error));
  }
}

/** What the address asked for: its last part. */
function wantedId(base: URL): string {
  const name = location.pathname.slice(base.pathname.length).split('/').filter(Boolean).at(-1) ?? '';
  try {
    return decodeURIComponent(name);
  } catch {
    return name;
  }
}
