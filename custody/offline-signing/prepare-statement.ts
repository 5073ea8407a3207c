import type { RootKey } from '@passport-registry/verifier';
import { readIfReadable } from '../../generator/files/read-file.js';
import { delegationClaims, rotationClaims, signingInput } from '../../generator/freshness/statements.js';
import { predecessorOf } from '../../generator/publishing/predecessor.js';
import { PATHS } from '../../generator/tree/paths.js';
import { type PublishedTree, readPublished } from '../../generator/tree/published-tree.js';
import {
  type RequestedDelegation,
  readDelegationInput,
  readPreviousDelegation,
} from './delegation-request.js';
import { writeRequestFiles } from './request-files.js';
import { readRotationInput } from './rotation-request.js';
import { type SigningRequest, signingRequest } from './signing-request.js';

/** The online keys of a delegation. */
export interface OnlineKeys {
  readonly keys: readonly RootKey[];
  /** How long the delegation is valid. */
  readonly days: number;
  /** Whether the online keys may hold issuers. Undefined: if the published delegation permits it. */
  readonly mayHold: boolean | undefined;
}

/**
 * Makes a delegation to be signed by a root key, which follows the delegation of the published tree.
 *
 * @throws {@link TreeRejected} | {@link KeyRejected}
 */
export async function newDelegation(
  { keys, days, mayHold }: OnlineKeys,
  rootKey: RootKey,
  published: PublishedTree | undefined,
): Promise<RequestedDelegation> {
  const before = published && readIfReadable(published.folder, PATHS.delegation);
  const previous =
    before && (await readPreviousDelegation(before, published.rootKey ?? rootKey, published.folder));
  const term = { days, mayHold: mayHold ?? previous?.mayHold === true };
  const input = signingInput(rootKey, 'registry-delegation+jwt', delegationClaims(keys, term));
  return readDelegationInput(input, rootKey, previous);
}

/**
 * Writes a signing request with a delegation and nothing else.
 *
 * @param rootKey - the root key that will sign
 * @param out - the folder of the tree, which need not exist
 * @param folder - a new folder for the request
 * @throws {@link TreeRejected} | {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareDelegation(
  { rootKey, out, ...online }: OnlineKeys & { readonly rootKey: RootKey; readonly out: string },
  folder: string,
): Promise<SigningRequest> {
  const published = predecessorOf(await readPublished(out), { rootKey, development: false });
  const delegation = await newDelegation(online, rootKey, published);
  const request = signingRequest({ rootKey, previousRootKey: published?.rootKey }, { delegation });
  writeRequestFiles(folder, request);
  return request;
}

/**
 * Writes a signing request with the step from a root key to the next one.
 *
 * @param folder - a new folder for the request
 * @throws {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareRotation(
  { rootKey, next }: { readonly rootKey: RootKey; readonly next: RootKey },
  folder: string,
): Promise<SigningRequest> {
  const step = signingInput(rootKey, 'registry-root-rotation+jwt', rotationClaims(next));
  const rotation = await readRotationInput(step, rootKey);
  const request = signingRequest({ rootKey }, { rotation });
  writeRequestFiles(folder, request);
  return request;
}
