import type { RootKey } from '@passport-registry/verifier';
import { type RotationStep, successorIn } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';

/*
 * A root key is committed to the keys that may replace it (rule rotation-commitment): by the rotation step that leads
 * to it or, for a key to which no step leads, by `next_roots` in registry.yaml, which the operator also gives to those
 * who pin the key.
 */

/** Adds to a root key the keys to which the step that leads to it commits it. */
export async function withCommitment(rootKey: RootKey, steps: readonly RotationStep[]): Promise<RootKey> {
  for (const step of [...steps].reverse()) {
    const next = await successorIn(step, []);
    if (next.thumbprint === rootKey.thumbprint) return next;
  }
  return rootKey;
}

/**
 * Adds to a root key the keys to which registry.yaml commits it, unless a step has committed it.
 *
 * @param configured - `next_roots` in registry.yaml
 * @throws {@link UsageError} if they belong to an earlier root key
 */
export function withConfigured(rootKey: RootKey, configured: readonly string[] | undefined): RootKey {
  if (configured === undefined || rootKey.nextRoots !== undefined) return rootKey;
  if (configured.includes(rootKey.thumbprint)) {
    throw new UsageError(
      `next_roots in registry.yaml contains the root key ${rootKey.thumbprint} itself: remove next_roots, which belongs to an earlier root key`,
    );
  }
  return { ...rootKey, nextRoots: configured };
}

/**
 * Asserts that a root key may rotate to another one.
 *
 * @param next - the thumbprint of the next key, or what else it is
 * @throws {@link KeyRejected}
 */
export function assertCommitted({ thumbprint, nextRoots }: RootKey, next: string): void {
  if (nextRoots === undefined || nextRoots.includes(next)) return;
  throw new KeyRejected(
    `the root key ${thumbprint} is committed to ${nextRoots.join(' or ')}, and verifiers refuse any other successor: ` +
      `rotate to one of these keys, not to ${next}`,
  );
}

/** What a new commitment must fit. */
interface Succession {
  /** The root key that is replaced, with the keys to which it is committed. */
  readonly outgoing: RootKey;
  /** Undefined if the next key is not known yet. */
  readonly next: RootKey | undefined;
  /** The steps of the rotation so far. */
  readonly steps: readonly RotationStep[];
}

/**
 * Returns the thumbprints to which a new step commits the next root key. By default, these are the keys to which the outgoing
 * key was committed and that are not used yet.
 *
 * @param given - what the operator names instead
 * @returns undefined if the step commits to nothing
 * @throws {@link KeyRejected} if a thumbprint belongs to an earlier root key
 */
export function nextCommitment(
  given: readonly string[] | undefined,
  { outgoing, next, steps }: Succession,
): readonly string[] | undefined {
  const unused = outgoing.nextRoots?.filter((thumbprint) => thumbprint !== next?.thumbprint) ?? [];
  const found = given ?? unused;
  const past = [...steps.map(({ kid }) => kid), outgoing.thumbprint, next?.thumbprint];
  const used = found.find((thumbprint) => past.includes(thumbprint));
  if (used !== undefined) {
    throw new KeyRejected(
      `${used} cannot follow the next root key: it is that key itself, or a root key before it, and verifiers never go back`,
    );
  }
  return found.length === 0 ? undefined : found;
}
