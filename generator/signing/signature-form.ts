import { type RootKey, verifySignature } from '@passport-registry/verifier';
import { encodeSignature } from '@passport-registry/verifier/core';
import { decodeDerSignature } from './der-signature.js';

/** The length of a raw signature of either algorithm, in bytes. */
const RAW_BYTES = 64;

/**
 * Lists the raw signatures that the output of a signing tool can represent: 64 raw bytes, a DER signature (ECDSA), or
 * either in base64, base64url or hexadecimal, with optional white space. The caller must verify which of them is the
 * signature.
 */
export function readSignature(output: Uint8Array): Uint8Array[] {
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
