import { assertTrustAnchor, type TrustAnchor } from '@passport-registry/verifier';
import { type PinnedTrust, pinnedAnchor } from '../../generator/verification/pinned-trust.js';

/** Pins the trust anchor of a case, as `--root-key` does. */
export async function pinnedTrust(anchor: TrustAnchor): Promise<PinnedTrust> {
  const trusted: unknown = anchor;
  assertTrustAnchor(trusted);
  return pinnedAnchor(trusted);
}
