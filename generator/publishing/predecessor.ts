import type { Issuer } from '@passport-registry/verifier';
import { KeyRejected } from '../errors.js';
import type { PublishedList } from '../list/list-diff.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { CommittedTree } from './committed.js';
import type { RootSigner } from './request.js';

/** Reads the list of a published tree. */
export function publishedList({ list, issuers, updatedAt }: PublishedTree): PublishedList {
  let records: ReadonlyMap<string, Uint8Array> | undefined;
  // JSON.stringify restores the bytes of records from canonical JSON.
  const bytesOf = (issuer: Issuer) => Buffer.from(JSON.stringify(issuer));
  return {
    bytes: list,
    updatedAt,
    records: () => {
      records ??= new Map(issuers.map((issuer) => [issuer.issuer_id, bytesOf(issuer)]));
      return records;
    },
  };
}

/**
 * Verifiers have pinned the tree's root key. Another root key may replace it only with a rotation, which verifiers follow (rule
 * root-key-continues).
 *
 * @param tree - as it is, whoever has signed it
 * @throws {@link KeyRejected}
 */
export function assertRootContinues(
  { rootKey, development }: RootSigner,
  { newest }: CommittedTree,
  isRotation: boolean,
): void {
  if (newest === undefined || newest.development) return;
  const previous = newest.rootKey.thumbprint;
  if (previous === rootKey.thumbprint) return;
  const { folder } = newest;
  if (development) {
    throw new KeyRejected(
      `the tree in ${folder} is signed by ${previous}, which a development key does not replace: pass --key, or another --out`,
    );
  }
  if (isRotation) return;
  throw new KeyRejected(
    `the tree in ${folder} is signed by ${previous}, but the key is ${rootKey.thumbprint}: pass the root key with --key or signer in ` +
      'registry.yaml, or replace the root key with `keys rotate`',
    { see: 'docs/operators/keys.md#a-new-root-key' },
  );
}
