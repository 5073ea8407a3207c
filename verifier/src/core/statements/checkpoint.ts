import { isListOf, isSha256 } from '../bytes/checks.js';
import { clockNote, DAY_MS, hasPassed } from '../bytes/clock.js';
import type { Invalid } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { isValidIssuerId } from '../generated/predicates.js';
import { importCheckedRootKey, type RootKey } from '../keys/root-key.js';
import { MAX_CHECKPOINT_DAYS } from '../limits.js';
import type { OnlineKeys } from './online-keys.js';
import { readStatement, type Statement, type StatementTimes, verifyStatement } from './statement.js';

/** The content of a checkpoint (rule checkpoint-form). */
export interface Checkpoint {
  /** The thumbprint of the key that signed the checkpoint. */
  readonly kid: string;
  /** The {@link statementHash} of the publication statement that was the newest when the checkpoint was signed. */
  readonly publication: string;
  /** SHA-256 of SHA256SUMS, lower-case hexadecimal. */
  readonly treeSha256: string;
  /**
   * The ids of the held issuers (rule hold), sorted. Verifiers treat them as suspended. An unlisted id has no effect.
   */
  readonly hold: readonly string[];
  /** When the checkpoint was signed, in milliseconds since 1970. */
  readonly issuedAt: number;
  /** From when the checkpoint is valid, in milliseconds since 1970. */
  readonly notBefore: number;
  /** When the checkpoint expires, in milliseconds since 1970. */
  readonly expiresAt: number;
  /** The checkpoint itself: a JWT. */
  readonly text: string;
}

/** Who may sign a checkpoint: the root key, and the online keys in the publication of the same tree. */
interface CheckpointSigners {
  readonly rootKey: RootKey;
  readonly online: OnlineKeys | undefined;
}

/** The maximum number of issuers that a checkpoint holds. */
export const MAX_HELD_ISSUERS = 64;

const invalid: Invalid = (message, cause) =>
  new RegistryError('ERR_CHECKPOINT_INVALID', `the checkpoint ${message}`, { cause });

/**
 * Verifies a checkpoint. The root key, or an online key of the publication of the same tree, must have signed the checkpoint
 * (rule checkpoint-signer), for at most {@link MAX_CHECKPOINT_DAYS} (rule checkpoint-lifetime). A checkpoint by an online key
 * is not dated after the expiry of the online keys, even in an old copy (rule checkpoint-online), and holds issuers only if
 * the publication allows it (rule hold-permission).
 *
 * @param checkpoint - a JWT
 * @throws `ERR_CHECKPOINT_INVALID` | `ERR_CHECKPOINT_EXPIRED` | `ERR_NOT_YET_VALID`
 */
export async function verifyCheckpoint(
  checkpoint: string,
  { rootKey, online }: CheckpointSigners,
  { clock, expiry }: StatementTimes,
): Promise<Checkpoint> {
  const statement = readStatement(checkpoint, 'registry-checkpoint+jwt', invalid);
  const { kid, expiresAt } = statement;
  const isByRoot = kid === rootKey.thumbprint;
  await verifyStatement(statement, isByRoot ? rootKey : await onlineKey(kid, online), { clock, invalid });
  if (expiry && clock !== undefined && hasPassed(expiresAt, clock)) {
    throw new RegistryError(
      'ERR_CHECKPOINT_EXPIRED',
      `the checkpoint expired at ${new Date(expiresAt).toISOString()} ${clockNote(clock.now)}`,
    );
  }
  const claims = readCheckpointClaims(statement);
  if (!isByRoot && online !== undefined) assertWithin(claims, online);
  return claims;
}

/** Returns the online key that a checkpoint names as its signer. */
async function onlineKey(kid: string | undefined, online: OnlineKeys | undefined): Promise<RootKey> {
  const key = online?.keys.find(({ thumbprint }) => thumbprint === kid);
  if (key === undefined) {
    throw invalid('is signed by neither the root key nor an online key of the publication');
  }
  return importCheckedRootKey(key);
}

/** Refuses what an online key may not sign. */
function assertWithin({ issuedAt, hold }: Checkpoint, { expiresAt, mayHold }: OnlineKeys): void {
  if (issuedAt > expiresAt) {
    throw invalid('has an iat after the exp of the online keys');
  }
  if (hold.length > 0 && !mayHold) {
    throw invalid('holds issuers, which its online key may not');
  }
}

/**
 * Reads the claims of a checkpoint, which may be one that nobody has signed yet.
 *
 * @throws `ERR_CHECKPOINT_INVALID`
 */
export function readCheckpointClaims(statement: Statement<'registry-checkpoint+jwt'>): Checkpoint {
  const { claims, kid = '', issuedAt, notBefore, expiresAt, text } = statement;
  const { publication, tree_sha256, hold } = claims;
  if (!isSha256(publication) || !isSha256(tree_sha256) || !isHold(hold)) {
    throw invalid('has a claim that is missing or malformed');
  }
  if (expiresAt - issuedAt > MAX_CHECKPOINT_DAYS * DAY_MS) {
    throw invalid(`is valid for more than ${MAX_CHECKPOINT_DAYS} days`);
  }
  const named = { kid, publication, treeSha256: tree_sha256 };
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
