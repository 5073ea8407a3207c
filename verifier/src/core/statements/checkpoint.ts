import { isCount, isListOf, isSha256 } from '../bytes/checks.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isValidIssuerId, isValidUtcSecond } from '../generated/predicates.js';
import type { RootKey } from '../keys/root-key.js';
import { type Delegation, type DelegationFile, verifyBySigner } from './delegation.js';
import { readStatement, type Statement, type StatementTimes } from './statement.js';

/** The content of a checkpoint (rule checkpoint-form). */
export interface Checkpoint {
  /** The thumbprint of the key that signed the checkpoint. */
  readonly kid: string;
  readonly updatedAt: string;
  /** SHA-256 of issuers.json, lower-case hexadecimal. */
  readonly sha256: string;
  /** Size of issuers.json, in bytes. */
  readonly size: number;
  /** SHA-256 of SHA256SUMS, lower-case hexadecimal. */
  readonly treeSha256: string;
  /** The sequence of the publication statement that names the list. */
  readonly sequence: number;
  /**
   * The ids of the held issuers (rule hold), sorted. Verifiers treat them as suspended. An unlisted id has no effect.
   */
  readonly hold: readonly string[];
  /** When the checkpoint was signed, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** From when the checkpoint is valid, in milliseconds since 1970. */
  readonly notBefore: number;
  /** The `exp` of the checkpoint itself, in milliseconds since 1970. {@link endOfCheckpoint} counts the delegation, too. */
  readonly expiresAt: number;
  /** The delegation of the online key that signed the checkpoint. Undefined if the root key signed it. */
  readonly delegation: Delegation | undefined;
  /** The checkpoint itself: the content of checkpoint.jwt. */
  readonly text: string;
}

/** A checkpoint and its delegation: strings, or the bytes exactly as received. */
export interface CheckpointFiles {
  readonly checkpoint: Uint8Array | string;
  readonly delegation: DelegationFile;
}

/** The maximum number of issuers that a checkpoint holds. */
export const MAX_HELD_ISSUERS = 64;

const invalid: Invalid = (message, cause) =>
  new RegistryError('ERR_CHECKPOINT_INVALID', `the checkpoint ${message}`, { cause });
const expired = (message: string) => new RegistryError('ERR_CHECKPOINT_EXPIRED', `the checkpoint ${message}`);

/**
 * Verifies a checkpoint. The root key, or an online key that the root key has delegated, must have signed the
 * checkpoint ({@link verifyBySigner}). An online key can hold issuers only if its delegation says so
 * (rule hold-permission).
 *
 * @throws `ERR_CHECKPOINT_INVALID` | `ERR_CHECKPOINT_EXPIRED` | `ERR_DELEGATION_INVALID` |
 *   `ERR_DELEGATION_EXPIRED` | `ERR_NOT_YET_VALID`
 */
export async function verifyCheckpoint(
  { checkpoint, delegation }: CheckpointFiles,
  rootKey: RootKey,
  times: StatementTimes,
): Promise<Checkpoint> {
  const statement = readStatement(checkpoint, 'registry-checkpoint+jwt', invalid);
  const delegated = await verifyBySigner(statement, { rootKey, delegation, times }, { invalid, expired });
  const claims = readClaims(statement);
  if (claims.hold.length > 0 && delegated?.mayHold === false) {
    throw invalid('holds issuers, but its delegation does not allow it');
  }
  return { ...claims, delegation: delegated };
}

/** Returns when a checkpoint or its delegation expires, whichever is earlier, in milliseconds since 1970. */
export function endOfCheckpoint({ expiresAt, delegation }: Checkpoint): number {
  return Math.min(expiresAt, delegation?.expiresAt ?? expiresAt);
}

function readClaims(statement: Statement<'registry-checkpoint+jwt'>) {
  const { claims, kid = '', issuedAt, notBefore, expiresAt, text } = statement;
  const { updated_at, sha256, size, tree_sha256, sequence, hold } = claims;
  if (
    !isValidUtcSecond(updated_at) ||
    !isSha256(sha256) ||
    !isSha256(tree_sha256) ||
    !isCount(size) ||
    !isCount(sequence) ||
    !isHold(hold)
  ) {
    throw invalid('has a claim that is missing or malformed');
  }
  const named = { kid, updatedAt: updated_at, sha256, size, treeSha256: tree_sha256, sequence };
  // Callers of a client get this array, by which the client decides.
  return { ...named, hold: Object.freeze(hold ?? []), issuedAt, notBefore, expiresAt, text };
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
