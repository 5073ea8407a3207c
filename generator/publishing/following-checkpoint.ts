import type { RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type Checkpoint,
  isOlderCheckpoint,
  verifyCheckpoint,
} from '@passport-registry/verifier/core';
import { RequestRejected } from '../errors.js';
import type { PreviousCheckpoint } from '../freshness/previous-checkpoint.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { rejecting } from '../verification/seen-files.js';

/** Makes the error for a request that was overtaken. */
export const outdated = (problem: string) =>
  new RequestRejected('ERR_REQUEST_OUTDATED', `${problem}: make a new request with \`build --unsigned\``);

/**
 * Reads a checkpoint of the root key, which may have signed it elsewhere. It must be for this tree, and continue the published
 * checkpoint: since the request was made, the settings of the page may have changed, or somebody may have held an issuer.
 *
 * @param checksums - the bytes of SHA256SUMS
 * @param previous - the published checkpoint; undefined before the first publication
 * @throws {@link RequestRejected} | {@link TreeRejected}
 */
export async function followingCheckpoint(
  text: string,
  { rootKey, checksums }: { readonly rootKey: RootKey; readonly checksums: Uint8Array },
  previous: PreviousCheckpoint | undefined,
): Promise<Checkpoint> {
  const signed = await rejecting(() => verifyCheckpoint(text, { rootKey, online: undefined }, ANY_TIME));
  if (signed.treeSha256 !== sha256(checksums))
    throw outdated(`the checkpoint of the request is for a tree with another ${PATHS.checksums}`);
  if (previous === undefined) return signed;
  if (isOlderCheckpoint(signed, previous))
    throw outdated('the published checkpoint is newer than that of the request');
  if (String(signed.hold) !== String(previous.hold))
    throw outdated('the published checkpoint holds other issuers than that of the request');
  return signed;
}
