import type { Issuer, RootKey } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import type { PublishedList } from '../list/list-diff.js';
import { type RecordSet, recordsOfList } from '../records/check-records.js';
import type { PublishedFiles, PublishedTree } from '../tree/published-tree.js';

/**
 * Returns the published tree with which a new list is compared. Under a production key, a tree that a development key
 * signed does not count. A tree that the signer's own production key signed always counts, whatever marks it has.
 *
 * @param signer - of the new list. A signing request does not know its root key yet
 */
export function predecessorOf<T extends PublishedFiles>(
  published: T | undefined,
  { rootKey, development }: { readonly rootKey: RootKey | undefined; readonly development: boolean },
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
  // JSON.stringify restores the bytes of records from canonical JSON.
  const bytesOf = (issuer: Issuer) => Buffer.from(JSON.stringify(issuer));
  return {
    bytes: list,
    updatedAt,
    records: () => {
      records ??= new Map(issuers().map((issuer) => [issuer.issuer_id, bytesOf(issuer)]));
      return records;
    },
  };
}
