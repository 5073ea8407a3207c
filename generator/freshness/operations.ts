import { RegistryError } from '@passport-registry/verifier';
import { type Signers, verifyOperations } from '@passport-registry/verifier/core';
import { ignoring } from '../errors.js';
import { clockAt } from '../list/updated-at.js';

/**
 * Returns a published operations statement as long as it is valid under the keys of the tree. No command but `checkpoint`
 * asks the mirrors again, so others keep the statement or drop it.
 */
export async function keptOperations(
  operations: Uint8Array | undefined,
  { rootKey, delegation }: Signers,
): Promise<Uint8Array | undefined> {
  if (operations === undefined) return undefined;
  const times = { clock: clockAt(), expiry: true };
  const verified = verifyOperations({ operations, delegation }, rootKey, times);
  return verified.then(() => operations, ignoring(RegistryError));
}
