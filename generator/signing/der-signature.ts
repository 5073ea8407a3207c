/** Length of r and of s, in bytes. */
const INTEGER_BYTES = 32;

/**
 * An ECDSA signature over P-256 as r||s, from its DER form: SEQUENCE { INTEGER r, INTEGER s } (RFC 3279, section
 * 2.2.3), in the one encoding that DER allows. Undefined when the bytes are anything else.
 */
export function decodeDerSignature(bytes: Uint8Array): Uint8Array | undefined {
  const [tag, length] = bytes;
  if (tag !== 0x30 || length === undefined || length > 0x7f || bytes.length !== length + 2) return undefined;
  const r = integerAt(bytes, 2);
  const s = r && integerAt(bytes, r.end);
  if (r === undefined || s === undefined || s.end !== bytes.length) return undefined;
  const raw = new Uint8Array(2 * INTEGER_BYTES);
  raw.set(r.value, INTEGER_BYTES - r.value.length);
  raw.set(s.value, 2 * INTEGER_BYTES - s.value.length);
  return raw;
}

/** A positive INTEGER of at most 32 bytes, without its leading zero, and where it ends. */
function integerAt(bytes: Uint8Array, start: number): { value: Uint8Array; end: number } | undefined {
  const [tag, length = 0] = bytes.subarray(start, start + 2);
  const end = start + 2 + length;
  const content = bytes.subarray(start + 2, end);
  const [first = 0, second = 0] = content;
  if (tag !== 0x02 || length === 0 || content.length !== length || first > 0x7f) return undefined;
  // A leading zero only where the sign would be wrong without it.
  if (first === 0 && length > 1 && second < 0x80) return undefined;
  const value = first === 0 ? content.subarray(1) : content;
  return value.length > INTEGER_BYTES ? undefined : { value, end };
}
