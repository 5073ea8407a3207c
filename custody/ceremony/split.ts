import type { KeyObject } from 'node:crypto';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { scalarOf, split } from '../shared-key/frost.js';
import { base64url, fromBase64url, type MessageKey, signMessage } from '../shared-key/message.js';
import { CEREMONY_FILES, type Ceremony } from './ceremony-file.js';
import { writeMessage } from './join.js';
import { hashesOf, readAllJoined, readText } from './messages.js';
import { encryptPart } from './parts.js';
import { joinedDigest } from './transcript.js';

/**
 * Splits an existing Ed25519 key among the holders, once all have joined, and all have the same fingerprint. The holders then finish the ceremony as they do
 * with a new key. The original key goes on signing: whoever splits it must destroy it.
 *
 * @param confirm - asks whether the holders have the same fingerprint. Throws if they do not
 * @throws {@link UsageError} | {@link KeyRejected} | {@link SharedKeyRejected}
 */
export async function splitKey(
  ceremony: Ceremony,
  key: KeyObject,
  confirm: (digest: string) => Promise<void>,
): Promise<void> {
  if (ceremony.splits === undefined) {
    throw new UsageError(
      'this ceremony makes a new key: start one with `keys ceremony start --splits` to split a key',
    );
  }
  const jwk = key.export({ format: 'jwk' }) as unknown as MessageKey;
  if (key.asymmetricKeyType !== 'ed25519' || jwk.x !== ceremony.splits.jwk.x) {
    throw new KeyRejected(`the key is not ${ceremony.splits.thumbprint}, which the ceremony splits`);
  }
  if (readText(ceremony, CEREMONY_FILES.split) !== undefined) {
    throw new UsageError(`${CEREMONY_FILES.split} exists: the key has been split already`);
  }
  const all = await readAllJoined(ceremony);
  await confirm(joinedDigest(ceremony, all));
  const { group, shares } = split(scalarOf(fromBase64url(jwk.d)), ceremony);
  const parts = await Promise.all(
    all.map(async (recipient, index) => [
      recipient.number,
      await encryptPart(shares[index]?.scalar ?? new Uint8Array(), { ceremony, from: 0, recipient }),
    ]),
  );
  const claims = {
    ...{ ceremony: ceremony.sha256, holder: 0, joined: hashesOf(all) },
    ...{ commitments: group.commitments.map(base64url), parts: Object.fromEntries(parts) },
  };
  writeMessage(ceremony, CEREMONY_FILES.split, signMessage('registry-ceremony-parts+jwt', claims, jwk));
}
