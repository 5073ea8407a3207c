import { createHash, type KeyObject } from 'node:crypto';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { split } from '../shared-key/frost.js';
import { base64url, type MessageKey, signMessage } from '../shared-key/message.js';
import { CEREMONY_FILES, type Ceremony } from './ceremony-file.js';
import { publish } from './join.js';
import { hashesOf, readAllJoined, readText } from './messages.js';
import { encryptPart } from './parts.js';
import { joinedDigest } from './transcript.js';

/** The order of the group of Ed25519 (RFC 8032, section 5.1). */
const ORDER = 2n ** 252n + 27742317777372353535851937790883648493n;

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
  const { group, shares } = split(scalarOf(jwk), ceremony);
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
  publish(ceremony, CEREMONY_FILES.split, signMessage('registry-ceremony-parts+jwt', claims, jwk));
}

/** The secret scalar of an Ed25519 key (RFC 8032, section 5.1.5), reduced, little-endian. */
function scalarOf({ d }: MessageKey): Uint8Array {
  const hash = createHash('sha512').update(Buffer.from(d, 'base64url')).digest().subarray(0, 32);
  hash[0] = (hash[0] ?? 0) & 248;
  hash[31] = ((hash[31] ?? 0) & 127) | 64;
  const scalar = BigInt(`0x${Buffer.from(hash).reverse().toString('hex')}`) % ORDER;
  return new Uint8Array(Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse());
}
