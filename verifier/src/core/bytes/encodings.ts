const HEX = Array.from({ length: 256 }, (_one, byte) => byte.toString(16).padStart(2, '0'));

/** Encodes bytes as lower-case hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += HEX[byte];
  return text;
}

/** Joins bytes. */
export function concat(parts: readonly Uint8Array[]): Uint8Array {
  const bytes = new Uint8Array(parts.reduce((size, { length }) => size + length, 0));
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns whether two values have the same bytes. */
export function isSameBytes(one: Uint8Array, other: Uint8Array): boolean {
  return one.length === other.length && one.every((byte, index) => byte === other[index]);
}

/** Encodes bytes as base64 with padding (RFC 4648, section 4). */
export function encodeBase64(bytes: Uint8Array): string {
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return btoa(binary);
}

/**
 * Decodes a base64 string. Returns undefined unless the string is exactly what `encodeBase64` returns for the bytes.
 */
export function decodeBase64(text: string): Uint8Array | undefined {
  if (text.length % 4 !== 0 || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)) return undefined;
  const bytes = bytesOf(text);
  // The unused bits of the last character are zeros only if the bytes encode to the same text.
  return encodeBase64(bytes) === text ? bytes : undefined;
}

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** Groups of four characters, then optionally two or three characters whose unused bits are zero. */
const STRICT = /^(?:[A-Za-z0-9_-]{4})*(?:[A-Za-z0-9_-][AQgw]|[A-Za-z0-9_-]{2}[AEIMQUYcgkosw048])?$/;

/**
 * Decodes a base64url string. Returns undefined unless the string is exactly what `encodeBase64url` returns for the
 * bytes: no padding, no white space, no other alphabet, and zeros in the unused bits of the last character.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  return STRICT.test(text) ? bytesOf(text.replaceAll('-', '+').replaceAll('_', '/')) : undefined;
}

function bytesOf(base64: string): Uint8Array {
  const binary = atob(base64);
  const bytes = new Uint8Array(binary.length);
  for (let index = 0; index < bytes.length; index++) bytes[index] = binary.charCodeAt(index);
  return bytes;
}
