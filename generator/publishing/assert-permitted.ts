import { KeyRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { replacedRootKeys } from '../tree/commitment.js';
import { isSigned, type PublishedTree } from '../tree/published-tree.js';
import type { NewPublication, RootSigner } from './publication.js';

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
