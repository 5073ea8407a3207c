import type { RootKey, TrustAnchor } from '@passport-registry/verifier';

/**
 * What the page trusts: the root key, and only together with the statements that the registry had when it built the page. A
 * host that withholds them could otherwise show an older list.
 */
export function trustAnchorOf({ jwk }: RootKey): TrustAnchor {
  const names = document.querySelector<HTMLMetaElement>('meta[name="registry-requires"]')?.content.split(' ');
  return {
    root: jwk,
    ...(names?.includes('publication') && { publication: 'required' }),
    ...(names?.includes('checkpoint') && { checkpoint: 'required' }),
  };
}
