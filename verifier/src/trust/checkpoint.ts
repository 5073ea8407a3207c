import { isCount, isListOf, isSha256 } from '../encoding/checks.js';
import { CheckpointExpired, CheckpointInvalid, DelegationExpired, DelegationInvalid } from '../errors.js';
import { isValidBytes32, isValidIssuerId } from '../generated/predicates.js';
import { isUpdatedAt } from '../list/date-time.js';
import { importRootKey, type RootKey } from './root-key.js';
import {
  type InvalidStatement,
  readStatement,
  type Statement,
  type StatementChecks,
  type StatementFailures,
  type StatementTimes,
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
  /** The sequence of the publication statement that names the list (SPEC C1). Undefined in older registries. */
  readonly sequence: number | undefined;
  /** The ids of the held issuers (SPEC C4), sorted. Verifiers treat them as suspended. An unlisted id has no effect. */
  readonly hold: readonly string[];
  /** When the checkpoint was signed, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** When the checkpoint or its delegation expires, whichever is earlier, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** When the delegation was signed, in milliseconds since 1970. Undefined if the root key signed the checkpoint. */
  readonly delegatedAt: number | undefined;
}

/** A checkpoint and its delegation: strings, or the bytes exactly as received. */
export interface CheckpointFiles {
  readonly checkpoint: Uint8Array | string;
  /** Neither read nor awaited if the root key itself signed the checkpoint. */
  readonly delegation: Uint8Array | string | undefined | Promise<Uint8Array | undefined>;
}

/** The maximum number of keys in a delegation. */
const MAX_DELEGATED_KEYS = 16;

/** The maximum number of issuers that a checkpoint holds (SPEC C4). */
export const MAX_HELD_ISSUERS = 64;

const CHECKPOINT: Required<StatementFailures> = {
  invalid: (message, cause) => new CheckpointInvalid(`the checkpoint ${message}`, { cause }),
  expired: (message) => new CheckpointExpired(`the checkpoint ${message}`),
};

const DELEGATION: Required<StatementFailures> = {
  invalid: (message, cause) => new DelegationInvalid(`the delegation ${message}`, { cause }),
  expired: (message) => new DelegationExpired(`the delegation ${message}`),
};

/**
 * Verifies a checkpoint. The root key, or an online key that the root key has delegated, must have signed the
 * checkpoint. If an online key signed the checkpoint, its `iat` must lie within `iat` and `exp` of the delegation, both
 * included, even in an old copy (SPEC C4). An online key therefore cannot date a checkpoint after the end
 * of its delegation. An online key can hold issuers only if its delegation says so.
 *
 * @throws {@link CheckpointInvalid} | {@link CheckpointExpired} | {@link DelegationInvalid} |
 *   {@link DelegationExpired} | {@link NotYetValid}
 */
export async function verifyCheckpoint(
  { checkpoint, delegation }: CheckpointFiles,
  rootKey: RootKey,
  times: StatementTimes,
): Promise<Checkpoint> {
  const statement = readStatement(checkpoint, 'registry-checkpoint+jwt', CHECKPOINT.invalid);
  if (statement.kid === undefined) {
    throw CHECKPOINT.invalid('does not name the key that signed it (kid)');
  }
  if (statement.kid === rootKey.thumbprint) {
    await verifyStatement(statement, rootKey, checksOf(CHECKPOINT, times));
    return { ...readClaims(statement), delegatedAt: undefined };
  }
  const delegationBytes = await delegation;
  if (delegationBytes === undefined) {
    throw CHECKPOINT.invalid(
      `is not signed by the root key ${rootKey.thumbprint}, and there is no delegation`,
    );
  }
  const delegated = await verifyDelegation(delegationBytes, rootKey, times);
  const key = delegated.keys.find(({ thumbprint }) => thumbprint === statement.kid);
  if (key === undefined) throw CHECKPOINT.invalid('is signed by a key that the delegation does not name');
  await verifyStatement(statement, key, checksOf(CHECKPOINT, times));
  const { issuedAt, expiresAt, ...listed } = readClaims(statement);
  if (issuedAt < delegated.issuedAt || issuedAt > delegated.expiresAt) {
    throw CHECKPOINT.invalid('has an iat that is not within the iat and exp of its delegation');
  }
  if (listed.hold.length > 0 && !delegated.mayHold) {
    throw CHECKPOINT.invalid('holds issuers, but its delegation does not allow it');
  }
  return {
    ...listed,
    issuedAt,
    expiresAt: Math.min(expiresAt, delegated.expiresAt),
    delegatedAt: delegated.issuedAt,
  };
}

/**
 * Verifies a delegation. Returns the keys that may sign checkpoints, whether these keys may hold issuers, and the times
 * of the delegation.
 */
export async function verifyDelegation(bytes: Uint8Array | string, rootKey: RootKey, times: StatementTimes) {
  const statement = readStatement(bytes, 'registry-delegation+jwt', DELEGATION.invalid);
  const invalid: InvalidStatement = (message, cause) =>
    DELEGATION.invalid(`${message}${wrongRootHint(statement, rootKey)}`, cause);
  await verifyStatement(statement, rootKey, checksOf({ ...DELEGATION, invalid }, times));
  return delegationOf(statement);
}

/** Reads the keys, the permission and the times of a delegation, whose signature the caller verifies. @throws {@link DelegationInvalid} */
export async function delegationOf({ claims: { keys, hold }, issuedAt, expiresAt }: Statement) {
  if (hold !== undefined && hold !== true) throw DELEGATION.invalid('has another hold than true');
  if (!Array.isArray(keys) || keys.length === 0 || keys.length > MAX_DELEGATED_KEYS) {
    throw DELEGATION.invalid(`does not name 1 to ${MAX_DELEGATED_KEYS} keys`);
  }
  try {
    const mayHold = hold === true;
    return { keys: await Promise.all(keys.map(importRootKey)), mayHold, issuedAt, expiresAt };
  } catch (cause) {
    throw DELEGATION.invalid(`names an invalid key: ${(cause as Error).message}`, cause);
  }
}

/** A delegation that names another root key as its signer is most likely from a registry whose root key is not pinned. */
function wrongRootHint({ kid }: Statement, { thumbprint }: RootKey): string {
  if (!isValidBytes32(kid) || kid === thumbprint) return '';
  return (
    `; it names the root key ${kid} as its signer, but the root key that you trust is ${thumbprint}, and no rotation ` +
    'leads to the other: you may have pinned the root key of another registry'
  );
}

function checksOf(
  { invalid, expired }: StatementFailures,
  { clock, expiry }: StatementTimes,
): StatementChecks {
  return { clock, invalid, expired: expiry ? expired : undefined };
}

function readClaims({ claims, issuedAt, expiresAt }: Statement) {
  const { updated_at, sha256, size, tree_sha256, sequence, hold } = claims;
  const isTime = typeof updated_at === 'string' && isUpdatedAt(updated_at);
  const isSequence = sequence === undefined || isCount(sequence);
  if (
    !isTime ||
    !isSha256(sha256) ||
    !isSha256(tree_sha256) ||
    !isCount(size) ||
    !isSequence ||
    !isHold(hold)
  ) {
    throw CHECKPOINT.invalid('has a claim that is missing or malformed');
  }
  const named = { updatedAt: updated_at, sha256, size, treeSha256: tree_sha256, sequence };
  return { ...named, hold: hold ?? [], issuedAt, expiresAt };
}

/** Returns whether a claim names 1 to 64 issuers in strictly ascending order of code units, or nothing. */
function isHold(hold: unknown): hold is readonly string[] | undefined {
  if (hold === undefined) return true;
  return (
    isListOf(hold, isValidIssuerId) &&
    hold.length > 0 &&
    hold.length <= MAX_HELD_ISSUERS &&
    // Every id is at least 1 character, so the first one follows the empty string.
    (hold as string[]).every((id, index, ids) => id > (ids[index - 1] ?? ''))
  );
}
