import { sha256 } from '@noble/hashes/sha2.js';
import { bytesToHex, concatBytes, hexToBytes } from '@noble/hashes/utils.js';
import canonicalize from 'canonicalize';

export { bytesToHex, concatBytes, hexToBytes, sha256 };

/** Encodes text as UTF-8. Lone surrogates, which UTF-8 does not have, become U+FFFD. */
export const utf8 = (text: string): Uint8Array => new TextEncoder().encode(text);

/** Decodes UTF-8. A byte order mark stays. */
export const textOf = (bytes: Uint8Array): string =>
  new TextDecoder('utf-8', { ignoreBOM: true }).decode(bytes);

/** SHA-256 in lower-case hexadecimal. */
export const sha256Hex = (bytes: Uint8Array): string => bytesToHex(sha256(bytes));

/** The canonical form of RFC 8785. */
export const jcs = (value: unknown): string => canonicalize(value) ?? '';

export const base64 = (bytes: Uint8Array): string =>
  btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(''));

export const base64url = (bytes: Uint8Array): string =>
  base64(bytes).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');

export const unbase64 = (text: string): Uint8Array =>
  Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (one) => one.charCodeAt(0));

const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** The same bytes in base64url, with an unused bit that is not zero. */
export const withStrayBits = (text: string): string =>
  text.slice(0, -1) + ALPHABET[(ALPHABET.indexOf(text.at(-1) ?? 'A') + 1) % 64];

/** A time in the form of `updated_at`. @param seconds - since 1970 */
export const timeText = (seconds: number): string =>
  new Date(seconds * 1000).toISOString().replace(/\.\d+Z/, 'Z');
