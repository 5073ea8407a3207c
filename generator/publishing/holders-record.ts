import { limitOf } from '@passport-registry/verifier/core';
import { UsageError } from '../errors.js';
import { readBytes } from '../files/read-file.js';
import { readPublishedStatements } from '../freshness/freshness.js';
import type { Signer } from '../signing/sign.js';
import { type HeldBy, type VerifyHolders, verifyHoldersOf } from '../tree/held-by.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { PublishedHolders } from '../tree/tree.js';
import type { TreeOptions } from './publication.js';

/**
 * Returns the record of the holders of the root key: the one in a file that the user has named, or the published one as
 * long as the root key stays.
 *
 * @param file - the name of the file
 * @throws {@link SharedKeyRejected} if the record in the file is not valid, or is of another root key
 * @throws {@link UsageError} if the published record is damaged
 */
export async function holdersRecord(
  file: string | undefined,
  published: PublishedTree | undefined,
  { rootKey, verifyHolders = unverifiable }: Pick<Signer, 'rootKey'> & Pick<TreeOptions, 'verifyHolders'>,
): Promise<PublishedHolders | undefined> {
  if (file !== undefined) {
    const record = readBytes(file, limitOf(PATHS.holders));
    const holders = await verifyHoldersOf(rootKey, { bytes: record, source: file }, verifyHolders);
    return { record, heldBy: holders };
  }
  if (published?.rootKey?.thumbprint !== rootKey.thumbprint) return undefined;
  let heldBy: HeldBy | undefined;
  const record = await readPublishedStatements(published, {
    path: PATHS.holders,
    read: async (bytes) => {
      const holders = await verifyHolders(bytes, PATHS.holders);
      // A rotation that was killed may have left the record of the key before.
      if (holders.rootKey.thumbprint === rootKey.thumbprint) heldBy = holders;
    },
    remedy: 'name the record of the ceremony with holders in registry.yaml',
  });
  return record === undefined || heldBy === undefined ? undefined : { record, heldBy };
}

const unverifiable: VerifyHolders = async (_record, source) => {
  throw new UsageError(`${source} cannot be verified: pass verifyHolders`);
};
