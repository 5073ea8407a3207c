import type { Issuer, IssuerRegistry } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import type { PublishedList } from '../list/list-diff.js';
import { type RecordSet, recordsOfList } from '../records/check-records.js';
import { sha256 } from '../tree/checksums.js';
import type { PublishedTree } from '../tree/published-tree.js';

/**
 * What a registry has published before, as far as a change is held against it. What a development key has published is no
 * part of what a registry has said.
 *
 * @param development - whether a development key signs this time
 */
export function predecessorOf(
  published: PublishedTree | undefined,
  development: boolean,
): PublishedTree | undefined {
  return published?.development && !development ? undefined : published;
}

/**
 * The records that a change is held against (SPEC C8). A build that was killed can leave a list and a signature that do not fit
 * together; such a list still has the hash that the checksums say, and counts. An edited list stops the publication.
 *
 * @param out - what to call the tree in messages
 * @throws {@link TreeRejected} when the list is not the one that was published
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

/** The list of a published tree; undefined where none is rightly signed. */
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

/** Nothing is signed that was not verified before; and what was parsed from canonical text is written as it was read. */
function recordsOf(list: Uint8Array): Map<string, Uint8Array> {
  return new Map(
    parsedIssuers(list).map((issuer) => [issuer.issuer_id, Buffer.from(JSON.stringify(issuer))]),
  );
}

function parsedIssuers(list: Uint8Array): readonly Issuer[] {
  return (JSON.parse(new TextDecoder().decode(list)) as IssuerRegistry).issuers;
}
