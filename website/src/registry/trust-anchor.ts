import type { RootKey, TrustAnchor } from '@passport-registry/verifier';

/** A trust anchor for one registry. */
export interface RegistryAnchor extends TrustAnchor {
  readonly sources: [string];
}

/**
 * What the page trusts: the root key, and the log in which the lists must be. The page pins no witnesses.
 *
 * @param base - the URL of the registry
 * @param log - the name of the log. Undefined if the lists need not be in a log
 */
export function anchorOfPage({ jwk }: RootKey, base: URL, log: string | undefined): RegistryAnchor {
  return { root: jwk, ...(log !== undefined && { log }), sources: [base.href] };
}
