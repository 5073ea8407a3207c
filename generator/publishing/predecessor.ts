import type { Issuer, RootKey } from '@passport-registry/verifier';
import { KeyRejected, TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import type { PublishedList } from '../list/list-diff.js';
import { type RecordSet, recordsOfList } from '../records/check-records.js';
import { replacedRootKeys } from '../tree/commitment.js';
import { isSigned, type PublishedFiles, type PublishedTree } from '../tree/published-tree.js';
import type { NewPublication, RootSigner } from './publication.js';

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
export function publishedList(published: PublishedTree): PublishedList | undefined {
  const { list, issuers, updatedAt, signed } = published;
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

/**
 * Verifiers have pinned the tree's root key. Another root key may replace it only with a rotation, which verifiers
 * follow, or if the operator accepts that verifiers refuse the registry (rule root-key-continues).
 *
 * @throws {@link KeyRejected}
 */
export async function assertRootContinues(
  { signer, exceptions, freshness }: NewPublication,
  published: PublishedTree | undefined,
  { named }: OutputFolder,
): Promise<void> {
  if (published === undefined || published.development) return;
  const rotating = freshness?.rotation !== undefined;
  const previous = await publishedRoot(published, signer, rotating);
  if (previous === signer.rootKey.thumbprint) return;
  if (signer.development) {
    throw new KeyRejected(
      `the tree in ${named} is signed by ${previous}: a development key does not replace it; give --key or another --out`,
    );
  }
  if (!rotating && replacedRootKeys(published.folder).includes(signer.rootKey.thumbprint)) {
    throw new KeyRejected(
      `the root key ${signer.rootKey.thumbprint} was replaced by the rotation in ${named}: signer in registry.yaml, or --key, must be the ` +
        `root key ${previous}, and root_key its public key`,
    );
  }
  // The assembly of the rotation chain checks that the step leads from the previous key to this key.
  if (exceptions?.breakPinnedVerifiers === true || (rotating && published.intact.rootKey)) return;
  throw new KeyRejected(
    `the tree in ${named} is signed by ${previous}, but the key is ${signer.rootKey.thumbprint}: pass the rotation step between the keys, ` +
      'which `keys step` makes, with --rotation. Without a step, every verifier that pinned the old key refuses the registry; if ' +
      'you want that, pass --break-pinned-verifiers',
  );
}

/**
 * Returns the thumbprint of the root key of a published tree. If keys/root.json was changed after its publication, the
 * signature of the list still shows whether the signer's key was the root key. A killed rotation may leave the next key
 * in keys/root.json; the same command then completes the rotation.
 */
async function publishedRoot(
  { rootKey, list, signature, intact }: PublishedTree,
  signer: RootSigner,
  rotating: boolean,
): Promise<string> {
  const next = signer.rootKey.thumbprint;
  const counts = intact.rootKey || (rotating && rootKey?.thumbprint === next);
  if (rootKey !== undefined && counts) return rootKey.thumbprint;
  return (await isSigned(list, signature, signer.rootKey))
    ? next
    : 'a key that keys/root.json no longer names';
}
