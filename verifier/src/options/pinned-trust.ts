import { isObject } from '../core/bytes/checks.js';
import { OptionsInvalid } from '../core/errors.js';
import type { RootJwk, TrustAnchor } from '../core/generated/schemas.js';
import { OBJECT, type OptionChecks, PUBLIC_KEYS, required } from '../core/options.js';
import { assertTrustAnchor, type LogTrust, logTrustOf } from '../core/statements/trust-anchor.js';

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

/** Returns whether options name a trust anchor. */
export function isAnchored(options: unknown): boolean {
  return isObject(options) && options['trustAnchor'] !== undefined;
}

/** Returns the checks of the options `rootKey` and `trustAnchor`. */
export function pinnedBy(options: unknown): OptionChecks<PinnedRootKey & PinnedTrustAnchor> {
  return { rootKey: isAnchored(options) ? PUBLIC_KEYS : required(PUBLIC_KEYS), trustAnchor: OBJECT };
}

/** Options that may come from a trust anchor. */
export interface PinnedOptions extends Partial<PinnedRootKey>, Partial<PinnedTrustAnchor> {
  readonly sources?: readonly string[] | undefined;
}

/** What options say of the trust, whether they name a root key or a trust anchor. */
interface Trust extends PinnedRootKey {
  readonly nextRoots: readonly string[] | undefined;
  readonly sources: readonly string[] | undefined;
  readonly log: LogTrust | undefined;
}

/**
 * Replaces the option `trustAnchor` with the options that it stands for.
 *
 * @param options - the options, after the checks of {@link pinnedBy}
 * @param caller - the name of the function that takes the options
 * @throws {@link OptionsInvalid} | `ERR_TRUST_ANCHOR_INVALID`
 */
export function withTrustAnchor(options: PinnedOptions, caller: string): Trust {
  const { trustAnchor, rootKey, sources } = options;
  if (trustAnchor === undefined)
    return { rootKey: rootKey ?? [], nextRoots: undefined, sources, log: undefined };
  if (rootKey !== undefined) {
    throw new OptionsInvalid(caller, 'rootKey', 'the trust anchor already has a root key');
  }
  assertTrustAnchor(trustAnchor);
  return {
    rootKey: trustAnchor.root,
    nextRoots: trustAnchor.next_roots,
    sources: sources ?? trustAnchor.sources,
    log: logTrustOf(trustAnchor),
  };
}
