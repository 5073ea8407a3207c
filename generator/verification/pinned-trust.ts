import type { RootKey, TrustAnchor } from '@passport-registry/verifier';
import { importAnchorRoot, type PinnedRoot } from '@passport-registry/verifier/core';

/**
 * What a user trusts: a root key alone, or the content of a trust anchor (rule trust-anchor). All but the root key are also
 * options of `verifyTree`.
 */
export interface PinnedTrust {
  /** The pinned root key, with the keys to which it is committed. A rotation may have replaced the key since. */
  readonly rootKey: PinnedRoot;
  /** What is pinned of the log and its witnesses. */
  readonly log: PinnedLog;
}

/** The members of a trust anchor about the log and its witnesses. */
export type PinnedLog = Pick<TrustAnchor, 'log' | 'witnesses' | 'quorum'>;

/** Pins a root key, with what it is committed to if the tree that it comes from says so. */
export function pinnedKey(rootKey: RootKey): PinnedTrust {
  return { rootKey: { nextRoots: undefined, ...rootKey }, log: {} };
}

/**
 * Pins what a trust anchor says.
 *
 * @param anchor - after `assertTrustAnchor`
 * @throws `ERR_ROOT_KEY_INVALID`
 */
export async function pinnedAnchor(anchor: TrustAnchor): Promise<PinnedTrust> {
  const { root: _root, next_roots: _next, sources: _sources, ...log } = anchor;
  return { rootKey: await importAnchorRoot(anchor), log };
}

/** Returns the trust anchor with which a verifier enforces the same. */
export function trustAnchorOf({ rootKey, log }: PinnedTrust): TrustAnchor {
  return {
    root: rootKey.jwk,
    ...(rootKey.nextRoots && { next_roots: [...rootKey.nextRoots] }),
    ...log,
  };
}
