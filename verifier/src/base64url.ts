import { base64url } from 'jose';

/** Base64url without padding (RFC 4648, section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return base64url.encode(bytes);
}

/**
 * The bytes of a base64url text, or undefined unless the text is the one spelling that `encodeBase64url` would
 * give them: no padding, no white space, no other alphabet, no stray bits in the last character.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (!/^[A-Za-z0-9_-]*$/.test(text)) return undefined;
  try {
    const bytes = base64url.decode(text);
    return base64url.encode(bytes) === text ? bytes : undefined;
  } catch {
    return undefined;
  }
}
