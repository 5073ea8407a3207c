import { RegistryError, type RootKey } from '@passport-registry/verifier';
import { ANY_TIME, type Checkpoint, verifyCheckpoint } from '@passport-registry/verifier/core';
import { ignoring, UsageError } from '../errors.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { readUnverified } from '../tree/statements-file.js';

/** A checkpoint, as far as the next one continues it. */
export type PreviousCheckpoint = Pick<Checkpoint, 'publication' | 'hold' | 'issuedAt'>;

/** The two checkpoints that the next one continues. */
export interface KnownCheckpoints {
  readonly published: PublishedTree | undefined;
  /** The checkpoint at the registry's URL, verified. Undefined if it is not known. */
  readonly served: Checkpoint | undefined;
}

/**
 * Returns the checkpoint that the next one continues: the newer one of the published tree and of the registry's URL. If both were
 * signed in the same second, it has the holds of both.
 *
 * @param signer - the key that signs the next checkpoint
 * @throws {@link UsageError} if nobody can tell which issuers the published checkpoint holds
 */
export async function previousCheckpoint(
  { published, served }: KnownCheckpoints,
  signer: RootKey,
): Promise<PreviousCheckpoint | undefined> {
  if (served === undefined) return publishedCheckpoint(published, signer);
  const own = published?.checkpoint;
  if (own === undefined || served.issuedAt > own.issuedAt) return served;
  if (served.issuedAt < own.issuedAt || String(served.hold) === String(own.hold)) return own;
  return { ...own, hold: [...new Set([...own.hold, ...served.hold])].sort() };
}

/**
 * Verifies the published checkpoint, at any time. The next checkpoint keeps the holds of the published one, so if issuers
 * may be held, but nobody can tell which, this function throws: a new checkpoint would release them silently.
 *
 * @param signer - the key that signs the next checkpoint. After a build that was killed, root key or online keys may be
 *   newer than the checkpoint. The checkpoint then counts if the same key has signed it
 * @returns undefined before the first publication, or if the checkpoint is not valid and cannot hold issuers
 * @throws {@link UsageError} with instructions to restore the checkpoint
 */
async function publishedCheckpoint(
  published: PublishedTree | undefined,
  signer: RootKey,
): Promise<PreviousCheckpoint | undefined> {
  if (published === undefined || published.checkpoint !== undefined) return published?.checkpoint;
  const { folder, isPublished, statements, statement } = published;
  const text = statements?.checkpoint;
  const signers = { rootKey: signer, online: undefined };
  const own = text && (await verifyCheckpoint(text, signers, ANY_TIME).catch(ignoring(RegistryError)));
  if (own) return own;
  // Before the first publication, there is none to read.
  if (text === undefined && !isPublished) return undefined;
  const unverified = text === undefined ? undefined : readUnverified(text, 'registry-checkpoint+jwt');
  const holdsNone = unverified !== undefined && unverified.claims.hold === undefined;
  // A statement that cannot be read might let online keys hold issuers.
  const mightHold = statement === undefined || statement.online?.mayHold === true;
  if (holdsNone && !mightHold) return undefined;
  throw new UsageError(
    `the checkpoint in ${folder}/${PATHS.statements} is ${text === undefined ? 'missing' : 'not valid'}, so nobody can tell which issuers ` +
      'it holds, and a new checkpoint would release them: restore the tree from a mirror, from a backup or from git. If ' +
      'it never held an issuer, run `hold --end --all`',
  );
}
