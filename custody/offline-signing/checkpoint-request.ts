import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  type Checkpoint,
  type PublicationStatement,
  readCheckpointClaims,
  readStatement,
  type Statement,
} from '@passport-registry/verifier/core';
import { RequestRejected } from '../../generator/errors.js';
import { type CheckpointClaims, signingInput } from '../../generator/freshness/statements.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';

/** A checkpoint to be signed by the root key. */
export interface RequestedCheckpoint {
  /** The bytes to sign, as text. */
  readonly input: string;
  /** The publication that it is for. */
  readonly statement: PublicationStatement;
  /** The ids of the held issuers. */
  readonly hold: readonly string[];
  /** In milliseconds since 1970. */
  readonly issuedAt: number;
  readonly expiresAt: number;
  /** SHA-256 of SHA256SUMS, which only the machine with the registry can compute. */
  readonly treeSha256: string;
}

/**
 * Reads a checkpoint that is not signed yet, and asserts that it is for a publication, and the one that this program makes of its
 * claims.
 *
 * @param statement - the publication of the same request, or the published one
 * @throws {@link RequestRejected}
 */
export function readCheckpointInput(
  input: string,
  rootKey: RootKey,
  statement: PublicationStatement,
): RequestedCheckpoint {
  // A JWS needs a signature, which need not be valid to be read.
  const read = readStatement(`${input}.AA`, 'registry-checkpoint+jwt', refused);
  const { publication, treeSha256, hold, issuedAt, expiresAt } = claimsOf(read);
  const canonical: CheckpointClaims = {
    iat: issuedAt / 1000,
    exp: expiresAt / 1000,
    publication,
    tree_sha256: treeSha256,
    ...(hold.length > 0 && { hold }),
  };
  // What is shown must be all that is signed.
  if (input !== signingInput(rootKey, 'registry-checkpoint+jwt', canonical))
    throw refused('is not in the canonical form that this program writes, or for another root key');
  if (publication !== statement.hash) throw refused(`is for another publication than ${statement.sequence}`);
  return { input, statement, hold, issuedAt, expiresAt, treeSha256 };
}

function claimsOf(statement: Statement<'registry-checkpoint+jwt'>): Checkpoint {
  try {
    return readCheckpointClaims(statement);
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new RequestRejected('ERR_REQUEST_PAYLOAD', cause.message, { cause });
  }
}

/** Makes the error for a checkpoint. The message is a predicate. */
function refused(message: string, cause?: unknown): RequestRejected {
  return new RequestRejected('ERR_REQUEST_PAYLOAD', `the checkpoint ${message}`, { cause });
}

/** Describes a checkpoint in words. */
export function describeCheckpoint({
  statement,
  hold,
  issuedAt,
  expiresAt,
  treeSha256,
}: RequestedCheckpoint): readonly string[] {
  return [
    `checkpoint for publication ${statement.sequence}`,
    `  signed    ${formatUpdatedAt(issuedAt)}`,
    `  until     ${formatUpdatedAt(expiresAt)}`,
    `  tree      ${treeSha256}`,
    // The signer does not know whom the published checkpoint holds, so an end of all holds must be visible.
    `  holds     ${hold.length === 0 ? 'nobody' : hold.join(', ')}`,
  ];
}
