import { RegistryError } from '@passport-registry/verifier';
import { type Signers, verifyOperations } from '@passport-registry/verifier/core';
import { clockAt } from '../list/updated-at.js';

/**
 * Returns a published operations statement as long as it is valid under the keys of the tree. No command but `checkpoint`
 * asks the mirrors again, so others keep the statement or drop it.
 */
export async function keptOperations(
  operations: Uint8Array | undefined,
  { rootKey, delegation }: Signers,
): Promise<Uint8Array | undefined> {
  const times = { clock: clockAt(), expiry: true };
  try {
    if (operations !== undefined) await verifyOperations({ operations, delegation }, rootKey, times);
    return operations;
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}
