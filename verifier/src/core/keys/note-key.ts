import { decodeBase64, decodeBase64url, encodeBase64, encodeBase64url, hexOf } from '../bytes/encodings.js';
import { hashBytes } from '../bytes/sha256-sync.js';
import type { Invalid } from '../bytes/utf8.js';
import { type CheckedJwk, importChecked, isSignedBy, type PublicKey, publicMembers } from './public-key.js';

/** The purpose of a key: the type byte of C2SP signed-note. Both kinds of keys are Ed25519. */
export const KEY_TYPES = { log: 0x01, witness: 0x04 } as const;

/** A checked public key that signs notes. */
export interface NoteKey {
  /** The name of the key: of a log, its origin. */
  readonly name: string;
  /** The id of the key, in lower-case hexadecimal. */
  readonly keyId: string;
  readonly jwk: CheckedJwk;
}

const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]{44})$/;

/** Returns whether a string can be the name of a key: not empty, in UTF-8, without Unicode spaces and without a plus. */
export function isKeyName(name: string): boolean {
  // `\s` is another set: it has no U+0085, which is a space in Unicode.
  return /^[^\p{White_Space}\p{Surrogate}+]+$/u.test(name);
}

/**
 * Parses a verifier key of C2SP signed-note: `<name>+<id>+<base64 of type and public key>` (rule log-name).
 *
 * @param purpose - the only accepted purpose
 * @param invalid - creates the error to throw
 */
export function parseNoteKey(vkey: unknown, purpose: keyof typeof KEY_TYPES, invalid: Invalid): NoteKey {
  const [, name = '', keyId, encoded = ''] = typeof vkey === 'string' ? (VKEY.exec(vkey) ?? []) : [];
  const bytes = decodeBase64(encoded);
  if (bytes?.length !== 33 || !isKeyName(name)) throw invalid('is not in the form <name>+<id>+<base64>');
  if (bytes[0] !== KEY_TYPES[purpose]) throw invalid(`is not the key of a ${purpose}`);
  const publicKey = bytes.subarray(1);
  if (noteKeyId(name, purpose, publicKey) !== keyId)
    throw invalid('has an id that does not belong to its name and key');
  const jwk = { kty: 'OKP', crv: 'Ed25519', x: encodeBase64url(publicKey) };
  return { name, keyId, jwk: publicMembers(jwk, invalid) };
}

/** Formats the verifier key of an Ed25519 public key. @param x - the public key in base64url, as in a JWK */
export function formatNoteKey(name: string, purpose: keyof typeof KEY_TYPES, x: string): string {
  const publicKey = decodeBase64url(x) ?? new Uint8Array();
  const encoded = encodeBase64(Uint8Array.of(KEY_TYPES[purpose], ...publicKey));
  return `${name}+${noteKeyId(name, purpose, publicKey)}+${encoded}`;
}

/** Returns the id of a key, in lower-case hexadecimal. */
function noteKeyId(name: string, purpose: keyof typeof KEY_TYPES, publicKey: Uint8Array): string {
  const named = new TextEncoder().encode(`${name}\n`);
  return hexOf(hashBytes(Uint8Array.of(...named, KEY_TYPES[purpose], ...publicKey)).subarray(0, 4));
}

/** The imported keys. Importing a key takes longer than verifying a signature, and a key signs many heads. */
const imported = new WeakMap<NoteKey, Promise<PublicKey>>();

/** Returns whether an Ed25519 signature by a key is valid. */
export async function isSignedByNoteKey(key: NoteKey, signature: Uint8Array, text: string): Promise<boolean> {
  const publicKey =
    imported.get(key) ?? importChecked(key.jwk, (message) => new Error(`${key.name} ${message}`));
  imported.set(key, publicKey);
  return isSignedBy(await publicKey, signature, new TextEncoder().encode(text));
}
