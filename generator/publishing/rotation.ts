import { type RootKey, walkRotation } from '@passport-registry/verifier';
import { readRotation } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';
import { rotationClaims, signingInput } from '../freshness/statements.js';
import { assertCommitted, nextCommitment, withConfigured } from '../tree/commitment.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { CommittedTree } from './committed.js';
import type { RequestedStep, SignedRequest } from './request.js';

/** How a publication replaces the root key. */
export interface RotationChoice {
  /** The keys to which the step commits the next key. Default: those that are left of the outgoing key's. */
  readonly commit: readonly string[] | undefined;
}

/** The tree whose root key is replaced, and that key. */
interface Outgoing {
  readonly follows: PublishedTree;
  /** With the keys to which it is committed. */
  readonly outgoing: RootKey;
}

/**
 * Returns the root key that a rotation replaces: that of the newest publication.
 *
 * @param nextRoots - the keys to which registry.yaml commits it, unless the published rotation does
 * @throws {@link UsageError} if there is no production key to replace
 */
export function outgoingKey(
  { newest, output: { named } }: CommittedTree,
  nextRoots: readonly string[] | undefined,
): Outgoing {
  if (newest === undefined) {
    throw new UsageError(`${named} has no tree, so there is no root key to replace: build with the new key`);
  }
  if (newest.development) {
    throw new UsageError(
      `a development key signed ${named}, which needs no rotation: remove ${named}, and build with a production key`,
    );
  }
  return { follows: newest, outgoing: withConfigured(newest.rootKey, nextRoots) };
}

/**
 * Returns the step from the root key of the newest publication to the next one. It names no publication, so another request can take
 * it over.
 *
 * @throws {@link UsageError} | {@link KeyRejected} if verifiers would refuse the step
 */
export function stepTo(
  next: RootKey,
  { follows, outgoing }: Outgoing,
  { commit }: RotationChoice,
): RequestedStep {
  const { thumbprint } = next;
  const steps = readRotation(follows.statements.rotation);
  if (thumbprint === outgoing.thumbprint)
    throw new KeyRejected(`the next key is the root key of ${follows.folder} already: ${thumbprint}`);
  if (steps.some(({ kid }) => kid === thumbprint)) {
    throw new KeyRejected(
      `the next key ${thumbprint} was the root key before: verifiers never go back to a key, so use a new one`,
    );
  }
  assertCommitted(outgoing, thumbprint);
  const nextRoots = nextCommitment(commit, { outgoing, next, steps });
  const claims = rotationClaims({ ...next, nextRoots });
  return { outgoing, toSign: signingInput(outgoing, 'registry-root-rotation+jwt', claims) };
}

/**
 * Returns the rotation of a new tree: the published steps, and that of the request. Verifiers have pinned the root key of the
 * published tree, so another one replaces it only by a step, which they follow (rule root-key-continues).
 *
 * @param nextRoots - the keys to which registry.yaml commits the outgoing key, unless the published rotation does
 * @returns the steps, JWTs, oldest first
 * @throws {@link KeyRejected}
 */
export async function rotationOf(
  follows: PublishedTree | undefined,
  { rootKey, rotation: step }: Pick<SignedRequest, 'rootKey' | 'rotation'>,
  nextRoots: readonly string[] | undefined,
): Promise<readonly string[]> {
  const earlier = follows?.statements.rotation ?? [];
  if (follows === undefined || follows.development) return earlier;
  // The request may have been published already.
  if (rootKey.thumbprint === follows.rootKey.thumbprint) return earlier;
  const steps = step === undefined ? earlier : [...earlier, step];
  const from = withConfigured(follows.rootKey, nextRoots);
  const { thumbprint } = await walkRotation(from, steps).catch((cause: Error) => {
    throw new KeyRejected(`the rotation is not valid: ${cause.message}`, { cause });
  });
  if (thumbprint === rootKey.thumbprint) return steps;
  throw new KeyRejected(
    `the root key of ${follows.folder} is ${from.thumbprint}, and no rotation leads to ${rootKey.thumbprint}: a root key is replaced ` +
      'with `keys rotate`',
  );
}
