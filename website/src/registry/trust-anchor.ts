import type { RootKey, TrustAnchor } from '@passport-registry/verifier';
import { meta } from '../dom/element.js';

/** A trust anchor for one registry. */
export interface RegistryAnchor extends TrustAnchor {
  readonly sources: [string];
}

/**
 * What the page trusts: the root key, and only together with the statements that the registry had when it built the page. A
 * host that withholds them could otherwise show an older list.
 *
 * @param base - the URL of the registry
 */
export function anchorOfPage({ jwk }: RootKey, base: URL): RegistryAnchor {
  const names = meta('registry-requires')?.split(' ');
  return {
    root: jwk,
    sources: [base.href],
    ...(names?.includes('publication') && { publication: 'required' }),
    ...(names?.includes('checkpoint') && { checkpoint: 'required' }),
  };
}
