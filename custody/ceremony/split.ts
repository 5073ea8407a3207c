import type { KeyObject } from 'node:crypto';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { scalarOf, split } from '../shared-key/key-generation.js';
import { fromBase64url, type MessageKey } from '../shared-key/message.js';
import { CEREMONY_FILES, type Ceremony } from './ceremony-file.js';
import { writeMessage } from './join.js';
import { readAllJoined, readText } from './messages.js';
import { partsMessage } from './parts.js';
import { digestOf } from './transcript.js';

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
  await confirm(digestOf(ceremony, all));
  const { group, shares } = split(scalarOf(fromBase64url(jwk.d)), ceremony);
  const parts = new Map(shares.map(({ number, scalar }) => [number, scalar]));
  const sent = { ceremony, from: 0, all, parts, commitments: group.commitments };
  writeMessage(ceremony, CEREMONY_FILES.split, await partsMessage(sent, jwk));
}
