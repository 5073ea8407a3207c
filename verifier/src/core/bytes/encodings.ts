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
  const bytes = decodeBase64url(toBase64url(text));
  return bytes !== undefined && encodeBase64(bytes) === text ? bytes : undefined;
}

/** Encodes bytes as base64url without padding (RFC 4648, section 5). */
export function encodeBase64url(bytes: Uint8Array): string {
  return toBase64url(encodeBase64(bytes));
}

function toBase64url(base64: string): string {
  return base64.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The value of each character of base64url, by its code. Other characters have -1. */
const VALUES = new Int8Array(128).fill(-1);
for (let value = 0; value < 64; value++)
  VALUES[encodeBase64url(Uint8Array.of(value << 2)).charCodeAt(0)] = value;

/**
 * Decodes a base64url string. Returns undefined unless the string is exactly what `encodeBase64url` returns for the
 * bytes: no padding, no white space, no other alphabet, and zeros in the unused bits of the last character.
 */
export function decodeBase64url(text: string): Uint8Array | undefined {
  const bytes = new Uint8Array(Math.floor((text.length * 6) / 8));
  let at = 0;
  // The bits that have been read and do not fill a byte yet.
  let bits = 0;
  let pending = 0;
  for (let index = 0; index < text.length; index++) {
    const value = VALUES[text.charCodeAt(index)] ?? -1;
    if (value < 0) return undefined;
    pending = (pending << 6) | value;
    bits += 6;
    if (bits < 8) continue;
    bits -= 8;
    bytes[at++] = pending >> bits;
    pending &= (1 << bits) - 1;
  }
  // Six bits are a character too many.
  return bits < 6 && pending === 0 ? bytes : undefined;
}
