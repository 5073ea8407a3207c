import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import type { PublishedList } from '../list/list-diff.js';
import { type RecordSet, recordsOfList } from '../records/check-records.js';
import { sha256 } from '../tree/checksums.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { RootSigner } from './publication.js';

/** The signer of a new list. A signing request does not know its root key yet. */
type ListSigner = Pick<RootSigner, 'development'> & { readonly rootKey: RootSigner['rootKey'] | undefined };

/**
 * Returns the published tree with which a new list is compared. Under a production key, a tree that a development key
 * signed does not count. A tree that the signer's own production key signed always counts, whatever marks it has.
 */
export function predecessorOf(
  published: PublishedTree | undefined,
  { rootKey, development }: ListSigner,
): PublishedTree | undefined {
  if (published === undefined || development || !published.development) return published;
  return rootKey !== undefined && published.rootKey?.thumbprint === rootKey.thumbprint
    ? published
    : undefined;
}

/**
 * Reads the published records with which a change is compared (SPEC C8). A killed build can leave a list and a
 * signature that do not match. Such a list still has its hash in SHA256SUMS, and counts. An edited list stops the
 * publication.
 *
 * @param out - the name of the tree in messages
 * @throws {@link TreeRejected} if the list was changed after its publication
 */
export function publishedRecords({ list, intact }: PublishedTree, out: string): RecordSet {
  if (list === undefined || !intact.list) {
    throw new TreeRejected(
      `the list in ${out} was changed after its publication, so changes cannot be checked against it: restore ${out} from a ` +
        'mirror, or remove it to publish a first list',
    );
  }
  return recordsOfList(parsedIssuers(list));
}

/** Reads the list of a published tree. Returns undefined unless its signature is valid. */
export function publishedList({ list, updatedAt, signed }: PublishedTree): PublishedList | undefined {
  if (list === undefined || updatedAt === undefined || !signed) return undefined;
  let records: ReadonlyMap<string, Uint8Array> | undefined;
  return {
    bytes: list,
    sha256: sha256(list),
    updatedAt,
    records: () => {
      records ??= recordsOf(list);
      return records;
    },
  };
}

/**
 * Needs no validation: only valid lists are signed. JSON.stringify restores the bytes of records from canonical JSON.
 */
function recordsOf(list: Uint8Array): Map<string, Uint8Array> {
  return new Map(
    parsedIssuers(list).map((issuer) => [issuer.issuer_id, Buffer.from(JSON.stringify(issuer))]),
  );
}

function parsedIssuers(list: Uint8Array): readonly Issuer[] {
  return (JSON.parse(new TextDecoder().decode(list)) as IssuerRegistry).issuers;
}
