import type { RootKey, TrustAnchor } from '@passport-registry/verifier';

/** A trust anchor for one registry. */
export interface RegistryAnchor extends TrustAnchor {
  readonly sources: [string];
}

/**
 * What the page trusts: the root key.
 *
 * @param base - the URL of the registry
 */
export function anchorOfPage({ jwk }: RootKey, base: URL): RegistryAnchor {
  return { root: jwk, sources: [base.href] };
}
