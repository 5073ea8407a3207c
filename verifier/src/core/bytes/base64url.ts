/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Groups of four characters, then optionally two or three characters whose unused bits are zero. */
const STRICT = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/;

/**
 * Decodes a base64url string. Returns undefined unless the string is exactly what `encodeBase64url` returns for the
 * bytes: no padding, no white space, no other alphabet, and zeros in the unused bits of the last character.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  if (!STRICT.test(text)) return undefined;
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'));
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
