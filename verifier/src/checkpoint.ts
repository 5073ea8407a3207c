import { decodeProtectedHeader, type JWTPayload } from 'jose';
import { isUpdatedAt } from './date-time.js';
import { CheckpointExpired, CheckpointInvalid, DelegationExpired, DelegationInvalid } from './errors.js';
import { importRootKey, type RootKey } from './root-key.js';
import { type Clock, verifyStatement } from './statement.js';

/** What a checkpoint says of the newest publication (SPEC B6). */
export interface Checkpoint {
  readonly updatedAt: string;
  /** SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of issuers.json, in bytes. */
  readonly size: number;
  /** SHA-256 of SHA256SUMS, lower-case hexadecimal. */
  readonly treeSha256: string;
  /** When it was signed, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** When it, or the delegation that it rests on, expires: whichever comes first. Milliseconds since 1970. */
  readonly expiresAt: number;
}

/** The texts of a checkpoint and of the delegation that it rests on. */
export interface CheckpointTexts {
  readonly checkpoint: string;
  /** Absent when the root key itself signed the checkpoint. */
  readonly delegation: string | undefined;
}

/** How many keys a delegation may name. */
const MAX_DELEGATED_KEYS = 16;

/**
 * Verifies a checkpoint: signed by the root key, or by a key that the root key has delegated; neither expired.
 *
 * @param clock - undefined to leave expiry to the caller, for a copy whose age is judged otherwise
 * @throws {@link CheckpointInvalid} | {@link CheckpointExpired} | {@link DelegationInvalid} | {@link DelegationExpired}
 */
export async function verifyCheckpoint(
  { checkpoint, delegation }: CheckpointTexts,
  rootKey: RootKey,
  clock: Clock | undefined,
): Promise<Checkpoint> {
  const kid = kidOf(checkpoint);
  if (kid === rootKey.thumbprint) return verifyWith(checkpoint, rootKey, clock, Number.POSITIVE_INFINITY);
  if (delegation === undefined) throw new CheckpointInvalid('the checkpoint is signed by no key that may');
  const { keys, expiresAt } = await verifyDelegation(delegation, rootKey, clock);
  const key = keys.find(({ thumbprint }) => thumbprint === kid);
  if (key === undefined)
    throw new CheckpointInvalid('the checkpoint is signed by a key that is not delegated');
  return verifyWith(checkpoint, key, clock, expiresAt);
}

/** The root key's word for which keys may sign checkpoints, and until when. */
async function verifyDelegation(delegation: string, rootKey: RootKey, clock: Clock | undefined) {
  const payload = await verifyStatement(delegation, 'registry-delegation+jwt', rootKey, clock, {
    invalid: (message, cause) => new DelegationInvalid(`the delegation is not valid: ${message}`, { cause }),
    expired: (message) => new DelegationExpired(`the delegation is no longer valid: ${message}`),
  });
  const { keys } = payload;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_DELEGATED_KEYS) {
    throw new DelegationInvalid('the delegation names no keys, or too many');
  }
  try {
    return { keys: await Promise.all(keys.map(importRootKey)), expiresAt: Number(payload.exp) * 1000 };
  } catch (cause) {
    throw new DelegationInvalid('the delegation names a key that is none', { cause });
  }
}

async function verifyWith(
  checkpoint: string,
  key: RootKey,
  clock: Clock | undefined,
  notAfter: number,
): Promise<Checkpoint> {
  const payload = await verifyStatement(checkpoint, 'registry-checkpoint+jwt', key, clock, {
    invalid: (message, cause) => new CheckpointInvalid(`the checkpoint is not valid: ${message}`, { cause }),
    expired: (message) => new CheckpointExpired(`the checkpoint is no longer valid: ${message}`),
  });
  return {
    ...claims(payload),
    issuedAt: Number(payload.iat) * 1000,
    expiresAt: Math.min(Number(payload.exp) * 1000, notAfter),
  };
}

function claims({ updated_at, sha256, size, tree_sha256 }: JWTPayload) {
  const isHash = (value: unknown): value is string =>
    typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  const isTime = typeof updated_at === 'string' && isUpdatedAt(updated_at);
  if (!isTime || !isHash(sha256) || !isHash(tree_sha256) || !Number.isSafeInteger(size) || Number(size) < 0) {
    throw new CheckpointInvalid('the checkpoint lacks a claim, or has one of another form');
  }
  return { updatedAt: updated_at, sha256, size: Number(size), treeSha256: tree_sha256 };
}

function kidOf(checkpoint: string): string | undefined {
  try {
    return decodeProtectedHeader(checkpoint).kid;
  } catch (cause) {
    throw new CheckpointInvalid('the checkpoint is no JWT', { cause });
  }
}
