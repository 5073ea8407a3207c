import { openRegistry, RegistryError, type RegistryFiles, type RootKey } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import type { Tree } from '../tree/tree.js';

/** A thousand years: for checks that ignore the age of a list, and leave it to those who use the list. */
export const ANY_AGE_SECONDS = 1000 * 365 * 24 * 60 * 60;

/**
 * Asserts that a verifier's client accepts a tree that has not been published yet, including its checkpoint, delegation
 * and rotation.
 */
export async function assertClientAccepts(files: RegistryFiles, rootKey: RootKey): Promise<void> {
  try {
    await openRegistry(files, { rootKey: rootKey.jwk, maxAge: ANY_AGE_SECONDS });
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`verifiers would refuse this tree: ${cause.code}, ${cause.message}`, { cause });
  }
}

/** Lets a client read a tree in memory. */
export function treeFiles(tree: Tree): RegistryFiles {
  return { get: async (path) => tree.get(path) };
}
