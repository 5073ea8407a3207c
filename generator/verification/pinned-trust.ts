import type { RootKey, TrustAnchor } from '@passport-registry/verifier';

/** What a user trusts: a root key alone, or the content of a trust anchor (rule trust-anchor). */
export interface PinnedTrust {
  /** The pinned root key, with the keys to which it is committed. A rotation may have replaced the key since. */
  readonly rootKey: RootKey;
  /** Whether to refuse a registry without a checkpoint. */
  readonly requireCheckpoint: boolean;
  /** Whether to refuse a registry without a publication statement. */
  readonly requirePublication: boolean;
  /** What is pinned of the log and its witnesses. */
  readonly log: PinnedLog;
}

/** The members of a trust anchor about the log and its witnesses. */
export type PinnedLog = Pick<TrustAnchor, 'log' | 'witnesses' | 'quorum'>;

/** Pins a root key alone. */
export function pinnedKey(rootKey: RootKey): PinnedTrust {
  return { rootKey, requireCheckpoint: false, requirePublication: false, log: {} };
}

/** Returns the trust anchor with which a verifier enforces the same. */
export function trustAnchorOf({
  rootKey,
  requireCheckpoint,
  requirePublication,
  log,
}: PinnedTrust): TrustAnchor {
  return {
    root: rootKey.jwk,
    ...(rootKey.nextRoots && { next_roots: [...rootKey.nextRoots] }),
    ...(requireCheckpoint && { checkpoint: 'required' }),
    ...(requirePublication && { publication: 'required' }),
    ...log,
  };
}

/** What a trust anchor demands of a tree, apart from its root key. */
export type Demands = Pick<PinnedTrust, 'requireCheckpoint' | 'requirePublication' | 'log'>;

/** Returns what is demanded of a tree. Without a trust anchor, nothing. */
export function demandsOf({
  requireCheckpoint = false,
  requirePublication = false,
  log = {},
}: Partial<Demands> = {}): Demands {
  return { requireCheckpoint, requirePublication, log };
}

/** Returns what a trust anchor pins of the log. */
export function pinnedLogOf({ log, witnesses, quorum }: PinnedLog): PinnedLog {
  return {
    ...(log !== undefined && { log }),
    ...(witnesses !== undefined && { witnesses }),
    ...(quorum !== undefined && { quorum }),
  };
}
