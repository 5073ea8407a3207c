import { OptionsInvalid } from '../core/errors.js';
import type { RootJwk, TrustAnchor } from '../core/generated/schemas.js';
import { logTrustOf } from '../core/statements/log-trust.js';
import { assertTrustAnchor } from '../core/statements/trust-anchor.js';
import { OBJECT, type OptionChecks, PUBLIC_KEYS, required } from './options.js';

/** Trust in a root key. */
export interface PinnedRootKey {
  /** The pinned root key, or several during a rotation. */
  readonly rootKey: RootJwk | readonly RootJwk[];
}

/** Trust in a trust anchor. */
export interface PinnedTrustAnchor {
  /** The pinned trust anchor: the parsed content of a file that `passport-registry pin` has written. */
  readonly trustAnchor: TrustAnchor;
}

/** Returns the checks of the options `rootKey` and `trustAnchor`. @param isAnchored - whether there is a trust anchor */
export function pinnedBy(isAnchored: boolean): OptionChecks<PinnedRootKey & PinnedTrustAnchor> {
  return { rootKey: isAnchored ? PUBLIC_KEYS : required(PUBLIC_KEYS), trustAnchor: OBJECT };
}

/** Options that may come from a trust anchor. */
export interface PinnedOptions extends Partial<PinnedRootKey>, Partial<PinnedTrustAnchor> {
  readonly sources?: readonly string[] | undefined;
  readonly requireCheckpoint?: boolean | undefined;
}

/**
 * Replaces the option `trustAnchor` with the options that it stands for. No option removes a requirement of the trust
 * anchor.
 *
 * @param options - the options, after the checks of {@link pinnedBy}
 * @param caller - the name of the function that takes the options
 * @throws {@link OptionsInvalid} | `ERR_TRUST_ANCHOR_INVALID`
 */
export function withTrustAnchor(options: PinnedOptions, caller: string) {
  const { trustAnchor, rootKey, requireCheckpoint } = options;
  if (trustAnchor === undefined) {
    return {
      ...options,
      rootKey: rootKey ?? [],
      nextRoots: undefined,
      requireCheckpoint: requireCheckpoint ?? false,
      requirePublication: false,
      log: undefined,
    };
  }
  if (rootKey !== undefined) {
    throw new OptionsInvalid(caller, 'rootKey', 'the trust anchor has a root key: give only one of the two');
  }
  assertTrustAnchor(trustAnchor);
  const { root, next_roots, sources, checkpoint, publication } = trustAnchor;
  const log = logTrustOf(trustAnchor);
  const isRequired = checkpoint === 'required';
  if (isRequired && requireCheckpoint === false) {
    throw new OptionsInvalid(caller, 'requireCheckpoint', 'the trust anchor requires a checkpoint');
  }
  return {
    rootKey: root,
    nextRoots: next_roots,
    sources: options.sources ?? sources,
    requireCheckpoint: isRequired || requireCheckpoint === true,
    requirePublication: publication === 'required',
    log,
  };
}
