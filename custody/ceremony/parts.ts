import { isObject } from '@passport-registry/verifier/core';
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose';
import {
  base64url,
  bytes32,
  type Message,
  type MessageKey,
  type MessageSource,
  refusedMessage,
  signMessage,
} from '../shared-key/message.js';
import type { Ceremony } from './ceremony-file.js';
import { hashesOf, type Joined } from './messages.js';

/** What somebody sends in the second round. */
interface SentParts {
  readonly ceremony: Ceremony;
  /** The number of the sender, or 0 for a dealer. */
  readonly from: number;
  readonly all: readonly Joined[];
  /** The part of the key for each recipient, by number. */
  readonly parts: ReadonlyMap<number, Uint8Array>;
  /** The commitments to a key that a dealer has split. */
  readonly commitments?: readonly Uint8Array[];
}

/** Returns the message with the parts of the key, each encrypted to its recipient. */
export async function partsMessage(
  { ceremony, from, all, parts, commitments }: SentParts,
  key: MessageKey,
): Promise<string> {
  const encrypted: Record<number, string> = {};
  for (const { number, encryptionKey } of all) {
    const part = parts.get(number);
    if (part === undefined) continue;
    const content = { ceremony: ceremony.sha256, from, part: base64url(part), to: number };
    encrypted[number] = await encrypt(content, encryptionKey.jwk);
  }
  const claims = {
    ceremony: ceremony.sha256,
    holder: from,
    joined: hashesOf(all),
    parts: encrypted,
    ...(commitments && { commitments: commitments.map(base64url) }),
  };
  return signMessage('registry-ceremony-parts+jwt', claims, key);
}

/** Encrypts to a recipient (JWE, ECDH-ES with P-256, A256GCM). */
async function encrypt(content: object, { kty, crv, x, y }: Joined['encryptionKey']['jwk']): Promise<string> {
  const key = await importJWK({ kty, crv, x, ...(y && { y }) }, 'ECDH-ES');
  return new CompactEncrypt(Buffer.from(JSON.stringify(content)))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(key);
}

/** The holder who decrypts a part, and the message that has it, for errors. */
interface PartRecipient extends MessageSource {
  readonly to: number;
  /** The private ECDH key, a JWK. */
  readonly decryptionKey: object;
}

/** Decrypts the part of the key that a message has for a holder. @throws {@link SharedKeyRejected} */
export async function decryptPart(
  { claims, holder: from }: Message,
  { sha256: ceremony }: Ceremony,
  { to, decryptionKey, ...source }: PartRecipient,
): Promise<Uint8Array> {
  const refused = (what: string) => refusedMessage(source, 'ERR_KEY_PART', what);
  const parts = claims['parts'];
  const encrypted = isObject(parts) ? parts[to] : undefined;
  if (typeof encrypted !== 'string') throw refused(`has no part of the key for holder ${to}`);
  let content: Record<string, unknown>;
  try {
    const key = await importJWK({ ...decryptionKey }, 'ECDH-ES');
    const options = { keyManagementAlgorithms: ['ECDH-ES'], contentEncryptionAlgorithms: ['A256GCM'] };
    const { plaintext } = await compactDecrypt(encrypted, key, options);
    const parsed: unknown = JSON.parse(Buffer.from(plaintext).toString('utf8'));
    content = isObject(parsed) ? parsed : {};
  } catch {
    // Without the cause, which could quote the content.
    throw refused('has a part of the key that cannot be decrypted');
  }
  if (content['ceremony'] !== ceremony || content['from'] !== from || content['to'] !== to) {
    throw refused('has a part of the key that was meant for another holder or another ceremony');
  }
  return bytes32(content['part'], source);
}
