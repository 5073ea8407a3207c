import type { RootKey, TrustAnchor } from '@passport-registry/verifier';
import { importAnchorRoot, type PinnedRoot, requirementsOf } from '@passport-registry/verifier/core';

/**
 * What a user trusts: a root key alone, or the content of a trust anchor (rule trust-anchor). All but the root key are also
 * options of `verifyTree`.
 */
export interface PinnedTrust {
  /** The pinned root key, with the keys to which it is committed. A rotation may have replaced the key since. */
  readonly rootKey: PinnedRoot;
  /** Whether to refuse a registry without a checkpoint. */
  readonly requireCheckpoint: boolean;
  /** Whether to refuse a registry without a publication statement. */
  readonly requirePublication: boolean;
  /** What is pinned of the log and its witnesses. */
  readonly log: PinnedLog;
}

/** The members of a trust anchor about the log and its witnesses. */
export type PinnedLog = Pick<TrustAnchor, 'log' | 'witnesses' | 'quorum'>;

/** Pins a root key, with what it is committed to if the tree that it comes from says so. */
export function pinnedKey(rootKey: RootKey): PinnedTrust {
  return {
    rootKey: { nextRoots: undefined, ...rootKey },
    requireCheckpoint: false,
    requirePublication: false,
    log: {},
  };
}

/**
 * Pins what a trust anchor says.
 *
 * @param anchor - after `assertTrustAnchor`
 * @throws `ERR_ROOT_KEY_INVALID`
 */
export async function pinnedAnchor(anchor: TrustAnchor): Promise<PinnedTrust> {
  const { root: _root, next_roots: _next, sources: _sources, ...demands } = anchor;
  const { checkpoint: _checkpoint, publication: _publication, ...log } = demands;
  return { ...requirementsOf(demands), rootKey: await importAnchorRoot(anchor), log };
}

/** Returns the trust anchor with which a verifier enforces the same. */
export function trustAnchorOf(trust: PinnedTrust): TrustAnchor {
  const { rootKey, requireCheckpoint, requirePublication, log } = trust;
  return {
    root: rootKey.jwk,
    ...(rootKey.nextRoots && { next_roots: [...rootKey.nextRoots] }),
    ...(requireCheckpoint && { checkpoint: 'required' }),
    ...(requirePublication && { publication: 'required' }),
    ...log,
  };
}
