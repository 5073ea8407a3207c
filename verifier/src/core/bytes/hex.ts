const BYTES = Array.from({ length: 256 }, (_one, byte) => byte.toString(16).padStart(2, '0'));

/** Encodes bytes as lower-case hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
  let text = '';
  for (const byte of bytes) text += BYTES[byte];
  return text;
}
