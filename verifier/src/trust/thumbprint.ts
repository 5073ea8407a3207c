import { encodeBase64url } from '../encoding/base64url.js';
import { sha256 } from '../encoding/sha256.js';
import type { PublicJwk } from './public-key.js';

/** Returns the RFC 7638 thumbprint of a public key: SHA-256 of its required members, in base64url. */
export async function thumbprintOf({ crv, kty, x, y }: PublicJwk): Promise<string> {
  // The members are in lexicographic order. JSON leaves out a `y` that is undefined.
  const text = JSON.stringify({ crv, kty, x, y });
  return encodeBase64url(await sha256(new TextEncoder().encode(text)));
}
