import type { RootKey } from '@passport-registry/verifier';

/** What a user trusts: a root key alone, or the content of a trust anchor (SPEC C3). */
export interface PinnedTrust {
  /** The pinned root key. A rotation may have replaced the key since. */
  readonly rootKey: RootKey;
  /** Whether to refuse a registry without a checkpoint. */
  readonly requireCheckpoint: boolean;
}
