import { base64url } from 'jose';

/** Base64url without padding (RFC 4648, section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return base64url.encode(bytes);
}

/** Groups of four characters, and at the end two or three characters whose unused bits are zero. */
const STRICT = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/;

/**
 * The bytes of a base64url text, or undefined unless the text is exactly the output of `encodeBase64url`:
 * no padding, no white space, no other alphabet, no stray bits in the last character.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  return STRICT.test(text) ? base64url.decode(text) : undefined;
}
