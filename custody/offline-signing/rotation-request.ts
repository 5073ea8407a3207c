import { importRootKey, RegistryError, type RootKey } from '@passport-registry/verifier';
import { isAnchorMember } from '@passport-registry/verifier/core';
import { type RotationClaims, signingInput } from '../../generator/freshness/statements.js';
import { formatUpdatedAt } from '../../generator/list/updated-at.js';
import { assertCanonicalInput, readInput, refusedInput } from './read-input.js';

/** A rotation step to be signed. */
export interface RequestedRotation {
  /** The bytes to sign, as text. */
  readonly input: string;
  /** The next root key. */
  readonly next: RootKey;
  /** The thumbprints of the keys of which the following step must lead to one; empty if the step names none. */
  readonly nextRoots: readonly string[];
  /** The position of the step, counted from 1, if the step says it. */
  readonly step: number | undefined;
  /** In milliseconds since 1970. */
  readonly issuedAt: number;
}

/**
 * Reads a rotation step that is not signed yet, and asserts that it is the one that this program makes of its claims.
 *
 * @param rootKey - the outgoing root key, which is to sign
 * @throws {@link TreeRejected}
 */
export async function readRotationInput(input: string, rootKey: RootKey): Promise<RequestedRotation> {
  const known = ['iat', 'next_root', 'next_roots', 'step'] as const;
  const { claims, issuedAt } = readInput(input, { type: 'rotation', rootKey }, known);
  const next = await importRootKey(claims['next_root']).catch((cause: unknown) => {
    if (!(cause instanceof RegistryError)) throw cause;
    throw refusedInput('rotation', `does not name a root key: ${cause.message}`, cause);
  });
  if (next.thumbprint === rootKey.thumbprint) {
    throw refusedInput('rotation', `leads from ${rootKey.thumbprint} to the same key`);
  }
  const canonical: RotationClaims = { ...(claims as unknown as RotationClaims), next_root: next.jwk };
  const { next_roots: nextRoots, step } = canonical;
  if (nextRoots !== undefined && !isAnchorMember('next_roots', nextRoots)) {
    throw refusedInput('rotation', 'has next_roots that are not 1 to 3 different thumbprints');
  }
  const used = [rootKey, next].find(({ thumbprint }) => nextRoots?.includes(thumbprint));
  if (used !== undefined) {
    throw refusedInput('rotation', `has next_roots with ${used.thumbprint}, to which no later step may lead`);
  }
  if (step !== undefined && !(Number.isSafeInteger(step) && step > 0)) {
    throw refusedInput('rotation', 'has a step that is not a number from 1');
  }
  assertCanonicalInput('rotation', input, signingInput(rootKey, 'registry-root-rotation+jwt', canonical));
  return { input, next, nextRoots: nextRoots ?? [], step, issuedAt };
}

/** Describes a rotation step in words. */
export function describeRotation(
  { next, nextRoots, step, issuedAt }: RequestedRotation,
  { thumbprint }: RootKey,
): readonly string[] {
  return [
    `ROTATION FROM ROOT KEY ${thumbprint} TO ROOT KEY ${next.thumbprint}`,
    '  after the first list by the next key, verifiers refuse everything that the outgoing key signs',
    `  signed    ${formatUpdatedAt(issuedAt)}${step === undefined ? '' : `, as step ${step}`}`,
    ...nextRoots.map(
      (root) =>
        `  next_root ${root}: the step after this one must lead to ${nextRoots.length === 1 ? 'this key' : 'one of these keys'}`,
    ),
  ];
}
