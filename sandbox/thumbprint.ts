import { createHash } from 'node:crypto';
import { canonicalBytes, type PublicJwk } from '@passport-registry/verifier';

/** The RFC 7638 thumbprint of a public key: for these members, its form is that of RFC 8785. */
export function thumbprint({ crv, kty, x, y }: PublicJwk): string {
  const members = y === undefined ? { crv, kty, x } : { crv, kty, x, y };
  return createHash('sha256').update(canonicalBytes(members)).digest('base64url');
}
