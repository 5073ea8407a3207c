import type { Issuer } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import type { PublishedList } from '../list/list-diff.js';
import { type RecordSet, recordsOfList } from '../records/check-records.js';
import type { PublishedFiles, PublishedTree } from '../tree/published-tree.js';
import type { RootSigner } from './publication.js';

/** The signer of a new list. A signing request does not know its root key yet. */
type ListSigner = Pick<RootSigner, 'development'> & { readonly rootKey: RootSigner['rootKey'] | undefined };

/**
 * Returns the published tree with which a new list is compared. Under a production key, a tree that a development key
 * signed does not count. A tree that the signer's own production key signed always counts, whatever marks it has.
 */
export function predecessorOf<T extends PublishedFiles>(
  published: T | undefined,
  { rootKey, development }: ListSigner,
): T | undefined {
  if (published === undefined || development || !published.development) return published;
  return rootKey !== undefined && published.rootKey?.thumbprint === rootKey.thumbprint
    ? published
    : undefined;
}

/**
 * Reads the published records with which a change is compared (rule record-changes). A killed build can leave a list
 * and a signature that do not match. Such a list still has its hash in SHA256SUMS, and counts. An edited list stops the
 * publication.
 *
 * @param out - the name of the tree in messages
 * @throws {@link TreeRejected} if the list was changed after its publication
 */
export function publishedRecords({ issuers, intact, about }: PublishedFiles, out: string): RecordSet {
  if (!intact.list) {
    throw new TreeRejected(
      `the list in ${out} was changed after its publication, so changes cannot be checked against it: restore ${out} from a ` +
        'mirror, as `status` shows; only if the list was never published, on no host and no branch, remove it to start again',
    );
  }
  return recordsOfList(issuers(), about);
}

/** Reads the list of a published tree. Returns undefined unless its signature is valid. */
export function publishedList({
  list,
  issuers,
  updatedAt,
  signed,
}: PublishedTree): PublishedList | undefined {
  if (list === undefined || updatedAt === undefined || !signed) return undefined;
  let records: ReadonlyMap<string, Uint8Array> | undefined;
  return {
    bytes: list,
    updatedAt,
    records: () => {
      records ??= bytesOf(issuers());
      return records;
    },
  };
}

/** JSON.stringify restores the bytes of records from canonical JSON. */
function bytesOf(issuers: readonly Issuer[]): Map<string, Uint8Array> {
  return new Map(issuers.map((issuer) => [issuer.issuer_id, Buffer.from(JSON.stringify(issuer))]));
}
