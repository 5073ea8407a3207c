import { assertTrustAnchor, type TrustAnchor } from '@passport-registry/verifier';
import { importAnchorRoot } from '@passport-registry/verifier/core';
import { type PinnedTrust, pinnedLogOf } from '../../generator/verification/pinned-trust.js';

/** Pins the trust anchor of a case, as `--root-key` does. */
export async function pinnedTrust(anchor: TrustAnchor): Promise<PinnedTrust> {
  const trusted: unknown = anchor;
  assertTrustAnchor(trusted);
  return {
    rootKey: await importAnchorRoot(trusted),
    requireCheckpoint: anchor.checkpoint === 'required',
    requirePublication: anchor.publication === 'required',
    log: pinnedLogOf(trusted),
  };
}
