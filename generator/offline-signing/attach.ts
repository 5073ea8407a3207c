import { canonicalBytes, RegistryError, type RootKey, verifySignature } from '@passport-registry/verifier';
import { KeyRejected, TreeRejected } from '../errors.js';
import { withOutputFolder } from '../files/output-folder.js';
import { assertNotAhead } from '../list/updated-at.js';
import type { PublishOptions } from '../publishing/publication.js';
import { publish } from '../publishing/publish.js';
import type { BuildReport } from '../publishing/report.js';
import { recordsOfList } from '../records/check-records.js';
import { readRequestedList } from './signing-request.js';

/** A list that was signed elsewhere. */
export interface SignedRequest {
  /** The bytes of issuers.json, as they were signed. */
  readonly list: Uint8Array;
  /** The text of issuers.sig. */
  readonly signature: string;
  /** The content of publication.jwt. */
  readonly statement: string;
  /** SHA-256, in hexadecimal, of the published list that this list follows; undefined for a first list. */
  readonly follows: string | undefined;
}

/** How to publish the list. */
export interface AttachOptions extends Omit<PublishOptions, 'time'> {
  /** The folder of the tree. */
  readonly out: string;
}

/**
 * Publishes a list that was signed elsewhere: the counterpart of `prepareSigning`. A request is refused once another
 * list has been published, so that a request from before an emergency can't undo the emergency change. If the request
 * is already published, its publication is completed.
 *
 * @param rootKey - verifies the signature
 * @throws {@link KeyRejected} | {@link RecordsRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachSignature(
  request: SignedRequest,
  rootKey: RootKey,
  { out, ...how }: AttachOptions,
): Promise<BuildReport> {
  const { issuers, updated_at } = await verifiedRequest(request, rootKey);
  assertNotAhead(updated_at, Date.now());
  const records = new Map(issuers.map((issuer) => [issuer.issuer_id, canonicalBytes(issuer)]));
  const signer = {
    rootKey,
    development: false,
    list: { updatedAt: updated_at, list: request.list, records },
    signature: request.signature.trim(),
    statement: request.statement,
    follows: request.follows,
  };
  return withOutputFolder(out, (place) =>
    publish({ ...how, records: recordsOfList(issuers), signer }, place),
  );
}

async function verifiedRequest({ list, signature }: SignedRequest, rootKey: RootKey) {
  try {
    await verifySignature(list, signature, rootKey);
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new KeyRejected(`the signature is not valid: ${cause.message}`, { cause });
  }
  try {
    return readRequestedList(list);
  } catch (cause) {
    throw new TreeRejected(`the list in the request cannot be published: ${(cause as Error).message}`, {
      cause,
    });
  }
}
