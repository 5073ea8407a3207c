import type { RootKey } from '@passport-registry/verifier';
import {
  assertSignedByLog,
  formatHead,
  formatNote,
  formatNoteKey,
  type LogHead,
  type LogIdentity,
  parseHead,
  parseNoteKey,
  type SignedHead,
} from '@passport-registry/verifier/core';
import { KeyRejected } from '../errors.js';
import type { Signer } from '../signing/sign.js';

/** Returns the name and the key of a log, as the publication statement names them. @throws {@link KeyRejected} */
export function logIdentity(origin: string, { algorithm, jwk }: RootKey): LogIdentity {
  if (algorithm !== 'Ed25519') {
    throw new KeyRejected(
      'the key of the log is a P-256 key, but logs are signed with Ed25519: set another key in log.signer in registry.yaml',
    );
  }
  return { origin, vkey: formatNoteKey(origin, 'log', jwk.x) };
}

const invalid = (message: string) => new KeyRejected(`the new head of the log ${message}`);

/** Signs the head of a log, and verifies the signature. @throws {@link KeyRejected} */
export async function signHead(head: LogHead, signer: Signer): Promise<SignedHead> {
  const { vkey } = logIdentity(head.origin, signer.rootKey);
  const key = parseNoteKey(vkey, 'log', invalid);
  const text = formatHead(head);
  const signature = await signer.sign(Buffer.from(text));
  const note = formatNote({ text, signatures: [{ name: key.name, keyId: key.keyId, signature }] });
  const signed = parseHead(note, invalid);
  await assertSignedByLog(signed, key, invalid);
  return signed;
}
