import { sha256 } from '@noble/hashes/sha2.js';
import { encodeBase64url, hexOf } from './encodings.js';

/*
 * Synchronous SHA-256 for small inputs. WebCrypto hashes on another thread. For an input the size of a request, the
 * thread switch takes ten times as long as the hash.
 */

/** Returns the SHA-256 of some bytes. */
export function hashBytes(bytes: Uint8Array): Uint8Array {
  return sha256(bytes);
}

/** Returns the SHA-256 of some bytes, or of a string in UTF-8, in lower-case hexadecimal. */
export function hashHex(content: Uint8Array | string): string {
  return hexOf(sha256(toBytes(content)));
}

/** Returns the SHA-256 of a string in UTF-8, in base64url. */
export function hashBase64url(text: string): string {
  return encodeBase64url(sha256(toBytes(text)));
}

function toBytes(content: Uint8Array | string): Uint8Array {
  return typeof content === 'string' ? new TextEncoder().encode(content) : content;
}
