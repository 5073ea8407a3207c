import { CheckpointExpired, CheckpointInvalid, DelegationExpired, DelegationInvalid } from '../errors.js';
import { isUpdatedAt } from '../list/date-time.js';
import { importRootKey, type RootKey } from './root-key.js';
import {
  type Clock,
  readStatement,
  type Statement,
  type StatementChecks,
  type StatementFailures,
  verifyStatement,
} from './statement.js';

/** The content of a checkpoint (SPEC B6). */
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
  /** The earlier expiry of the checkpoint and its delegation, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** When its delegation was signed, in milliseconds since 1970. Absent if the root key signed the checkpoint. */
  readonly delegatedAt: number | undefined;
}

/** The files of a checkpoint and its delegation, as text or as received. */
export interface CheckpointFiles {
  readonly checkpoint: Uint8Array | string;
  /** Not read, and not waited for, if the root key itself signed the checkpoint. */
  readonly delegation: Uint8Array | string | undefined | Promise<Uint8Array | undefined>;
}

/** How many keys a delegation may name. */
const MAX_DELEGATED_KEYS = 16;

const CHECKPOINT: Required<StatementFailures> = {
  invalid: (message, cause) => new CheckpointInvalid(`the checkpoint ${message}`, { cause }),
  expired: (message) => new CheckpointExpired(`the checkpoint ${message}`),
};

const DELEGATION: Required<StatementFailures> = {
  invalid: (message, cause) => new DelegationInvalid(`the delegation ${message}`, { cause }),
  expired: (message) => new DelegationExpired(`the delegation ${message}`),
};

/** How the times of a checkpoint are judged. */
export interface CheckpointTimes {
  /** Undefined to skip the check of times. */
  readonly clock: Clock | undefined;
  /** Whether to refuse expired statements; if false, the caller checks the age. */
  readonly expiry: boolean;
}

/**
 * Verifies a checkpoint: signed by the root key, or by a key that the root key has delegated. The `iat` of a checkpoint by
 * a delegated key lies within the delegation's `iat` and `exp`, both included, even for an old copy (SPEC C4): so an
 * expired delegated key cannot sign a checkpoint with a later date.
 *
 * @throws {@link CheckpointInvalid} | {@link CheckpointExpired} | {@link DelegationInvalid} |
 *   {@link DelegationExpired} | {@link NotYetValid}
 */
export async function verifyCheckpoint(
  { checkpoint, delegation }: CheckpointFiles,
  rootKey: RootKey,
  times: CheckpointTimes,
): Promise<Checkpoint> {
  const statement = readStatement(checkpoint, 'registry-checkpoint+jwt', CHECKPOINT.invalid);
  if (statement.kid === undefined) {
    throw new CheckpointInvalid('the checkpoint does not name the key that signed it (kid)');
  }
  if (statement.kid === rootKey.thumbprint) {
    await verifyStatement(statement, rootKey, checksOf(CHECKPOINT, times));
    return { ...claims(statement), delegatedAt: undefined };
  }
  const delegationBytes = await delegation;
  if (delegationBytes === undefined) {
    throw new CheckpointInvalid('the root key did not sign the checkpoint, and there is no delegation');
  }
  const delegated = await verifyDelegation(delegationBytes, rootKey, times);
  const key = delegated.keys.find(({ thumbprint }) => thumbprint === statement.kid);
  if (key === undefined)
    throw new CheckpointInvalid('the checkpoint is signed by a key that is not delegated');
  await verifyStatement(statement, key, checksOf(CHECKPOINT, times));
  const { issuedAt, expiresAt, ...said } = claims(statement);
  if (issuedAt < delegated.issuedAt || issuedAt > delegated.expiresAt) {
    throw new CheckpointInvalid('the iat of the checkpoint is not within the iat and exp of its delegation');
  }
  return {
    ...said,
    issuedAt,
    expiresAt: Math.min(expiresAt, delegated.expiresAt),
    delegatedAt: delegated.issuedAt,
  };
}

/** The keys that may sign checkpoints, and the validity of their delegation. */
export async function verifyDelegation(bytes: Uint8Array | string, rootKey: RootKey, times: CheckpointTimes) {
  const statement = readStatement(bytes, 'registry-delegation+jwt', DELEGATION.invalid);
  await verifyStatement(statement, rootKey, checksOf(DELEGATION, times));
  const { keys } = statement.claims;
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_DELEGATED_KEYS) {
    throw new DelegationInvalid(`the delegation does not name 1 to ${MAX_DELEGATED_KEYS} keys`);
  }
  try {
    const { issuedAt, expiresAt } = statement;
    return { keys: await Promise.all(keys.map(importRootKey)), issuedAt, expiresAt };
  } catch (cause) {
    throw new DelegationInvalid(`the delegation names a key that is not valid: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function checksOf(
  { invalid, expired }: StatementFailures,
  { clock, expiry }: CheckpointTimes,
): StatementChecks {
  return { clock, invalid, expired: expiry ? expired : undefined };
}

function claims({ claims: { updated_at, sha256, size, tree_sha256 }, issuedAt, expiresAt }: Statement) {
  const isHash = (value: unknown): value is string =>
    typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  const isTime = typeof updated_at === 'string' && isUpdatedAt(updated_at);
  if (!isTime || !isHash(sha256) || !isHash(tree_sha256) || !Number.isSafeInteger(size) || Number(size) < 0) {
    throw new CheckpointInvalid('a claim of the checkpoint is missing or malformed');
  }
  return { updatedAt: updated_at, sha256, size: Number(size), treeSha256: tree_sha256, issuedAt, expiresAt };
}
