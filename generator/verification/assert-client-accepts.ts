import { openRegistry, RegistryError, type RegistryFiles, type RootKey } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import type { Tree } from '../tree/tree.js';

/** A registry is judged for its form here, and its age left to those who use the list: a thousand years, in seconds. */
export const ANY_AGE_SECONDS = 1000 * 365 * 24 * 60 * 60;

/** What a verifier's client makes of a tree that has not been published yet: checkpoint, delegation and rotation count. */
export async function assertClientAccepts(files: RegistryFiles, rootKey: RootKey): Promise<void> {
  try {
    await openRegistry(files, { rootKey: rootKey.jwk, maxAge: ANY_AGE_SECONDS });
  } catch (cause) {
    if (!(cause instanceof RegistryError)) throw cause;
    throw new TreeRejected(`no client would accept this: ${cause.code}, ${cause.message}`, { cause });
  }
}

/** A tree in memory, as clients read one. */
export function treeFiles(tree: Tree): RegistryFiles {
  return { get: async (path) => tree.get(path) };
}
