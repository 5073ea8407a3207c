import { isObject } from '@passport-registry/verifier/core';
import { CompactEncrypt, compactDecrypt, importJWK } from 'jose';
import { SharedKeyRejected } from '../../generator/errors.js';
import { base64url, bytes32, type Message } from '../shared-key/message.js';
import type { Ceremony } from './ceremony-file.js';
import type { Joined } from './messages.js';

/** Who sends a part of the key, and to whom. */
interface PartRoute {
  readonly ceremony: Ceremony;
  /** The number of the sender, or 0 for a dealer. */
  readonly from: number;
  readonly recipient: Joined;
}

/** Encrypts a part of the key to its recipient (JWE, ECDH-ES with P-256, A256GCM). */
export async function encryptPart(
  part: Uint8Array,
  { ceremony: { sha256: ceremony }, from, recipient }: PartRoute,
): Promise<string> {
  const plaintext = JSON.stringify({ ceremony, from, part: base64url(part), to: recipient.number });
  const { kty, crv, x, y } = recipient.encryptionKey.jwk;
  const key = await importJWK({ kty, crv, x, ...(y && { y }) }, 'ECDH-ES');
  return new CompactEncrypt(Buffer.from(plaintext))
    .setProtectedHeader({ alg: 'ECDH-ES', enc: 'A256GCM' })
    .encrypt(key);
}

/** The holder who decrypts a part, and the message that has it, for errors. */
interface PartRecipient {
  readonly to: number;
  /** The private ECDH key, a JWK. */
  readonly decryptionKey: object;
  readonly file: string;
  /** The name of the sender. */
  readonly name: string;
}

/** Decrypts the part of the key that a message has for a holder. @throws {@link SharedKeyRejected} */
export async function decryptPart(
  { claims, holder: from }: Message,
  { sha256: ceremony }: Ceremony,
  { to, decryptionKey, file, name }: PartRecipient,
): Promise<Uint8Array> {
  const refused = (what: string) =>
    new SharedKeyRejected('ERR_KEY_PART', `${file}, by ${name}, ${what}`, { holder: name });
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
  return bytes32(content['part'], { file, name });
}
