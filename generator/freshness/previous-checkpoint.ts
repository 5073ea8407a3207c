import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type Checkpoint,
  readStatement,
  type Statement,
  type StatementType,
  verifyCheckpoint,
} from '@passport-registry/verifier/core';
import { ignoring, UsageError } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';

/** The published checkpoint, as far as the next one continues it. */
export type PreviousCheckpoint = Pick<Checkpoint, 'hold' | 'issuedAt'>;

/**
 * Verifies the published checkpoint, at any time. The next checkpoint keeps the holds of the published one, so if issuers
 * may be held, but nobody can tell which, this function throws: a new checkpoint would release them silently.
 *
 * @param signer - the key that signs the next checkpoint. After a build that was killed, root key or online keys may be
 *   newer than the checkpoint. The checkpoint then counts if the same key has signed it
 * @returns undefined before the first publication, or if the checkpoint is not valid and cannot hold issuers
 * @throws {@link UsageError} with instructions to restore the checkpoint
 */
export async function previousCheckpoint(
  published: PublishedTree | undefined,
  signer: RootKey,
): Promise<PreviousCheckpoint | undefined> {
  if (published === undefined || published.checkpoint !== undefined) return published?.checkpoint;
  const { folder, isPublished, statement } = published;
  const bytes = readIfReadable(folder, PATHS.checkpoint);
  const signers = { rootKey: signer, online: undefined };
  const own = bytes && (await verifyCheckpoint(bytes, signers, ANY_TIME).catch(ignoring(RegistryError)));
  if (own !== undefined) return own;
  // Before the first publication, there is none to read.
  if (bytes === undefined && !isPublished) return undefined;
  const unverified = bytes && readUnverified(bytes, 'registry-checkpoint+jwt');
  const holdsNone = unverified !== undefined && unverified.claims.hold === undefined;
  // A statement that cannot be read might let online keys hold issuers.
  const mightHold = statement === undefined || statement.online?.mayHold === true;
  if (holdsNone && !mightHold) return undefined;
  throw new UsageError(
    `${folder}/${PATHS.checkpoint} is ${bytes === undefined ? 'missing' : 'not valid'}, so nobody can tell which issuers ` +
      'it holds, and a new checkpoint would release them: restore the tree from a mirror, from a backup or from git. If ' +
      'it never held an issuer, run `hold --end --all`',
  );
}

/** Reads a statement that nobody has verified. Undefined if the bytes are not a statement of this type. */
export function readUnverified<Type extends StatementType>(
  bytes: Uint8Array,
  type: Type,
): Statement<Type> | undefined {
  try {
    return readStatement(bytes, type, (message) => new Error(message));
  } catch {
    return undefined;
  }
}
