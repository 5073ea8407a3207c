const BYTES = Array.from({ length: 256 }, (_one, byte) => byte.toString(16).padStart(2, '0'));

/** Encodes bytes as lower-case hexadecimal. */
export function hexOf(bytes: Uint8Array): string {
<<<<<<< HEAD
  let hex = '';
  for (const byte of bytes) hex += BYTES[byte];
  return hex;
=======
  let text = '';
  for (const byte of bytes) text += BYTES[byte];
  return text;
>>>>>>> whole
}
