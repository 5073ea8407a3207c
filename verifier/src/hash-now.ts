import { sha256 } from '@noble/hashes/sha2.js';
import { encodeBase64url } from './base64url.js';
import { hexOf } from './hex.js';

/*
 * SHA-256 at once, for small things. WebCrypto hashes on another thread, and for what fits into a request the way there
 * and back takes ten times as long as the hashing.
 */

/** SHA-256 in lower-case hexadecimal. */
export function hashHex(bytes: Uint8Array): string {
  return hexOf(sha256(bytes));
}

/** SHA-256 of a text in UTF-8, in base64url. */
export function hashBase64url(text: string): string {
  return encodeBase64url(sha256(new TextEncoder().encode(text)));
}
