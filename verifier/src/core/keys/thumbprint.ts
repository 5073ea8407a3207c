import { hashBase64url } from '../bytes/sha256-sync.js';
import type { RootJwk } from '../generated/schemas.js';
import type { PublicJwk } from './public-key.js';

/** Returns the RFC 7638 thumbprint of a public key: SHA-256 of its required members, in base64url. */
export function thumbprintOf({ crv, kty, x, y }: PublicJwk | RootJwk): string {
  // The members are in lexicographic order. JSON leaves out a `y` that is undefined.
  return hashBase64url(JSON.stringify({ crv, kty, x, y: y ?? undefined }));
}
