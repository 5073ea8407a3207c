import { createPrivateKey, sign } from 'node:crypto';
import { join } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import {
  canonicalBytes,
  JwsRefused,
  readCompactJws,
  verifyCompactJws,
} from '@passport-registry/verifier/core';
import { readIfExists } from '../../generator/files/read-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { type SharedKeyFault, SharedKeyRejected } from './shared-key-rejected.js';

/** The `typ` of each message of a holder. */
type MessageType =
  | 'registry-ceremony-join+jwt'
  | 'registry-ceremony-parts+jwt'
  | 'registry-ceremony-receipt+jwt'
  | 'registry-signing-commitments+jwt'
  | 'registry-signing-shares+jwt';

/** The claims of a message. Secret parts are encrypted to their recipient before they become a claim. */
type Claims = Readonly<Record<string, unknown>>;

/** The private key with which a holder signs messages: an Ed25519 JWK. It is made in the ceremony, and signs nothing else. */
export interface MessageKey {
  readonly kty: 'OKP';
  readonly crv: 'Ed25519';
  readonly x: string;
  readonly d: string;
}

/** A message whose signature has been verified. */
export interface Message {
  /** The number of the holder who has signed it. */
  readonly holder: number;
  readonly claims: Claims;
  readonly text: string;
  /** SHA-256 of the message, in hexadecimal. */
  readonly sha256: string;
}

/** Signs a message. The same claims give the same message. */
export function signMessage(type: MessageType, claims: Claims, { kty, crv, x, d }: MessageKey): string {
  const encoded = (part: object) => Buffer.from(canonicalBytes(part)).toString('base64url');
  const input = `${encoded({ alg: 'EdDSA', typ: type })}.${encoded(claims)}`;
  const key = createPrivateKey({ key: { kty, crv, x, d }, format: 'jwk' });
  return `${input}.${sign(null, Buffer.from(input), key).toString('base64url')}`;
}

/** Where a message is, and by whom it must be, for errors. */
export interface MessageSource {
  /** The name of the file. */
  readonly file: string;
  /** The name of the holder. */
  readonly name: string;
}

/** The error for a message. @param what - what is wrong with it, a predicate */
export function refusedMessage(
  { file, name, cause }: MessageSource & { readonly cause?: unknown },
  code: SharedKeyFault,
  what: string,
): SharedKeyRejected {
  return new SharedKeyRejected(code, `${file}, by ${name}, ${what}`, { cause, holder: name });
}

/** What a message must be. */
export interface ExpectedMessage extends MessageSource {
  readonly type: MessageType;
  /** The number of the holder who must have written it. */
  readonly number: number;
  /** The key of the holder. Undefined for the message that brings the key: its claim `key` verifies it. */
  readonly key: RootKey | undefined;
}

/** Reads a message and verifies its signature. @throws {@link SharedKeyRejected} */
export async function readMessage(text: string, expected: ExpectedMessage): Promise<Message> {
  const { type, number, key } = expected;
  const refused = (what: string, cause?: unknown) => {
    const again = `${what}: ask ${expected.name} for it again`;
    return refusedMessage({ ...expected, cause }, 'ERR_HOLDER_MESSAGE', again);
  };
  try {
    const jws = readCompactJws(text, [type]);
    const { holder } = jws.payload;
    if (holder !== number) throw refused(`is a message of holder ${String(holder)}, not of holder ${number}`);
    await verifyCompactJws(jws, key ?? (await importRootKey(jws.payload['key'])));
    return { holder: number, claims: jws.payload, text, sha256: sha256(text) };
  } catch (cause) {
    if (cause instanceof SharedKeyRejected) throw cause;
    throw refused(
      cause instanceof JwsRefused
        ? cause.message
        : `has a key that is not valid: ${(cause as Error).message}`,
      cause,
    );
  }
}

/**
 * Reads the file of a message. What is wrong with the file is a fault of its holder, and stops no other holder.
 *
 * @param folder - the folder of the messages
 * @returns undefined if the file does not exist
 * @throws {@link SharedKeyRejected}
 */
export async function readMessageFile(
  folder: string,
  expected: ExpectedMessage,
): Promise<Message | undefined> {
  const { file, name } = expected;
  let text: string | undefined;
  try {
    text = readIfExists(join(folder, file))?.toString('utf8').trim();
  } catch (cause) {
    const problem = `the message of ${name} cannot be read: ${(cause as Error).message}`;
    throw new SharedKeyRejected('ERR_HOLDER_MESSAGE', problem, { cause, holder: name });
  }
  return text === undefined ? undefined : readMessage(text, expected);
}

/** Decodes a claim that has the base64url of 32 bytes. @throws {@link SharedKeyRejected} */
export function bytes32(value: unknown, source: MessageSource): Uint8Array {
  const bytes = typeof value === 'string' ? Buffer.from(value, 'base64url') : Buffer.alloc(0);
  if (bytes.length === 32 && bytes.toString('base64url') === value) return new Uint8Array(bytes);
  throw refusedMessage(source, 'ERR_HOLDER_MESSAGE', 'has a malformed value');
}

/** Encodes bytes as base64url. */
export const base64url = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64url');

/** Decodes base64url, leniently. */
export const fromBase64url = (text: string): Uint8Array => new Uint8Array(Buffer.from(text, 'base64url'));
