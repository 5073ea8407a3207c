import { hexOf } from './encodings.js';
import { hashBytes } from './sha256-sync.js';

/** Up to this size in bytes, the hash takes less time than to hand the bytes to the thread of WebCrypto. */
const MAX_SMALL_BYTES = 8192;

/**
 * Returns the SHA-256 of some bytes in lower-case hexadecimal.
 *
 * @example
 * ```ts
 * import { sha256Hex } from '@passport-registry/verifier';
 *
 * console.log(await sha256Hex(new Uint8Array())); // e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855
 * ```
 */
export async function sha256Hex(bytes: Uint8Array): Promise<string> {
  return hexOf(await sha256(bytes));
}

/** Returns the SHA-256 of some bytes. */
export async function sha256(bytes: Uint8Array): Promise<Uint8Array> {
  if (bytes.length <= MAX_SMALL_BYTES) return hashBytes(bytes);
  return new Uint8Array(await crypto.subtle.digest('SHA-256', bytes as BufferSource));
}
