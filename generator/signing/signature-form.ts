import { type RootKey, verifySignature } from '@passport-registry/verifier';
import { encodeSignature } from '@passport-registry/verifier/core';

/** The length of a raw signature of either algorithm, in bytes. */
const RAW_BYTES = 64;

/**
 * Lists the raw signatures that the output of a signing tool can represent: 64 raw bytes, a DER signature (ECDSA), or
 * either in base64, base64url or hexadecimal, with optional white space. The caller must verify which of them is the
 * signature.
 */
export function signaturesIn(output: Uint8Array): Uint8Array[] {
  return [output, ...decodeText(output)].flatMap(rawForms);
}

/** Returns the first of some raw signatures that is valid for a payload; undefined if none is. */
export async function findValidSignature(
  candidates: readonly Uint8Array[],
  payload: Uint8Array,
  rootKey: RootKey,
): Promise<Uint8Array | undefined> {
  for (const candidate of candidates) {
    const isValid = verifySignature(payload, encodeSignature(candidate), rootKey).then(
      () => true,
      () => false,
    );
    if (await isValid) return candidate;
  }
  return undefined;
}

function rawForms(bytes: Uint8Array): Uint8Array[] {
  const der = decodeDerSignature(bytes);
  return [...(bytes.length === RAW_BYTES ? [bytes] : []), ...(der === undefined ? [] : [der])];
}

function decodeText(output: Uint8Array): Uint8Array[] {
  const text = new TextDecoder('latin1').decode(output).replaceAll(/[\t\n\r ]+/g, '');
  const found: Uint8Array[] = [];
  if (/^(?:[0-9A-Fa-f]{2})+$/.test(text)) found.push(Buffer.from(text, 'hex'));
  if (/^[A-Za-z0-9+/]+={0,2}$/.test(text)) found.push(Buffer.from(text, 'base64'));
  if (/^[A-Za-z0-9_-]+={0,2}$/.test(text)) found.push(Buffer.from(text, 'base64url'));
  return found;
}

/** The length of r and of s, in bytes. */
const INTEGER_BYTES = 32;

/**
 * Decodes a DER signature of ECDSA over P-256 to r||s: SEQUENCE { INTEGER r, INTEGER s } (RFC 3279, section 2.2.3). Only
 * the one encoding that DER allows is accepted. Undefined for any other bytes.
 */
function decodeDerSignature(bytes: Uint8Array): Uint8Array | undefined {
  const [tag, length] = bytes;
  if (tag !== 0x30 || length === undefined || length > 0x7f || bytes.length !== length + 2) return undefined;
  const r = readInteger(bytes, 2);
  const s = r && readInteger(bytes, r.end);
  if (r === undefined || s === undefined || s.end !== bytes.length) return undefined;
  const raw = new Uint8Array(2 * INTEGER_BYTES);
  raw.set(r.value, INTEGER_BYTES - r.value.length);
  raw.set(s.value, 2 * INTEGER_BYTES - s.value.length);
  return raw;
}

/** Reads a positive INTEGER of at most 32 bytes: its value without a leading zero, and its end. */
function readInteger(bytes: Uint8Array, start: number): { value: Uint8Array; end: number } | undefined {
  const [tag, length = 0] = bytes.subarray(start, start + 2);
  const end = start + 2 + length;
  const content = bytes.subarray(start + 2, end);
  const [first = 0, second = 0] = content;
  if (tag !== 0x02 || length === 0 || content.length !== length || first > 0x7f) return undefined;
  // DER allows a leading zero only if the number would otherwise be negative.
  if (first === 0 && length > 1 && second < 0x80) return undefined;
  const value = first === 0 ? content.subarray(1) : content;
  return value.length > INTEGER_BYTES ? undefined : { value, end };
}
