import {
  canonicalBytes,
  RegistryError,
  type RootKey,
  readList,
  verifySignature,
} from '@passport-registry/verifier';
import { KeyRejected, TreeRejected, UsageError } from '../errors.js';
import { withOutputFolder } from '../files/output-folder.js';
import { assertNotAhead } from '../list/updated-at.js';
import { predecessorOf } from '../publishing/predecessor.js';
import {
  type BuildReport,
  type PublishOptions,
  publish,
  type SignedListBytes,
} from '../publishing/publish.js';
import { recordsOfList } from '../records/check-records.js';
import { sha256 } from '../tree/checksums.js';
import type { PublishedTree } from '../tree/published-tree.js';

/** A list that was signed elsewhere. */
export interface SignedRequest {
  /** The bytes of issuers.json, as they were signed. */
  readonly list: Uint8Array;
  /** The text of issuers.sig. */
  readonly signature: string;
  /** SHA-256, in hexadecimal, of the published list that it follows; undefined for a first list. */
  readonly follows: string | undefined;
}

/**
 * Publishes a list that was signed elsewhere: the other half of `prepareSigning`. A request is refused once another list has
 * been published, so that one from before an emergency cannot undo it. A request that is published already is completed.
 *
 * @param rootKey - under which the signature must hold
 * @throws {@link KeyRejected} | {@link RecordsRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachSignature(
  request: SignedRequest,
  rootKey: RootKey,
  options: PublishOptions,
): Promise<BuildReport> {
  const { issuers, updated_at } = await verifiedRequest(request, rootKey);
  assertNotAhead(updated_at, Date.now());
  const { list, follows } = request;
  const signature = request.signature.trim();
  const records = new Map(issuers.map((issuer) => [issuer.issuer_id, canonicalBytes(issuer)]));
  const makeList = async (published: PublishedTree | undefined): Promise<SignedListBytes> => {
    const newest = predecessorOf(published, false);
    const kept = newest?.list !== undefined && Buffer.compare(newest.list, list) === 0;
    if (!kept) assertFollows(newest, { follows, updated_at }, options.out);
    return { list: { updatedAt: updated_at, list, records }, signature, kept };
  };
  const signer = { rootKey, development: false };
  return withOutputFolder(options.out, (place) =>
    publish({ records: recordsOfList(issuers), makeList, signer }, place, options),
  );
}

async function verifiedRequest({ list, signature }: SignedRequest, rootKey: RootKey) {
  try {
    await verifySignature(list, signature, rootKey);
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new KeyRejected(`the signature does not hold: ${cause.message}`, { cause });
  }
  try {
    return readList(list);
  } catch (cause) {
    throw new TreeRejected(`the request holds no list that can be published: ${(cause as Error).message}`, {
      cause,
    });
  }
}

/** SPEC C8: a request names the publication that it follows, which must still be the newest. */
function assertFollows(
  newest: PublishedTree | undefined,
  { follows, updated_at }: { readonly follows: string | undefined; readonly updated_at: string },
  out: string,
): void {
  const published = newest?.list && sha256(newest.list);
  const again = 'make a new request with `build --unsigned`';
  if (published !== follows) {
    const has = published === undefined ? 'holds none' : `holds the list ${published}`;
    const said = follows === undefined ? 'is for a first list' : `follows the list ${follows}`;
    throw new UsageError(`the request ${said}, and ${out} ${has}: ${again}`);
  }
  if (newest?.updatedAt !== undefined && updated_at <= newest.updatedAt) {
    throw new UsageError(
      `the request is of ${updated_at}, not later than the published list of ${newest.updatedAt}: ${again}`,
    );
  }
}
