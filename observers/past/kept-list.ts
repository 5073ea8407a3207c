import type { IssuerRegistry } from '@passport-registry/verifier';
import { type PublicationStatement, readList } from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { TreeSource } from '../../generator/verification/tree-source.js';

/**
 * Reads the list of a publication of the past, from wherever the tree still has it. Its hash and its size are those that the
 * root key has signed.
 *
 * @throws {@link TreeRejected} if the tree has not kept it; {@link IoFailed}; the errors of the verifier
 */
export async function readKeptList(
  source: TreeSource,
  { sha256: hash, size, updatedAt }: PublicationStatement,
): Promise<IssuerRegistry> {
  for (const path of [PATHS.loggedList(hash), PATHS.snapshot(hash, PATHS.list), PATHS.list]) {
    const bytes = (await source.get(path))?.bytes;
    if (bytes?.length === size && sha256(bytes) === hash) return readList(bytes);
  }
  throw new TreeRejected(
    `${source.name} has not kept the list ${hash} of ${updatedAt}, which has ${size} bytes: look for ${PATHS.loggedList(hash)} at a ` +
      'mirror or in a backup. The operator decides with log.keep_lists in registry.yaml how large the lists are that a registry keeps',
  );
}
