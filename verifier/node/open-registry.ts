import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type OpenOptions,
  openRegistry as openCopy,
  type Registry,
  type RegistryFiles,
  type StoredPublication,
} from '@passport-registry/verifier';

/**
 * Opens a copy of a registry without a network: a folder with its tree, or whatever `openRegistry` of the main entry
 * takes.
 *
 * @param copy - a folder's path, files, or a bundle
 * @throws every error of a source; {@link ListExpired} when the copy is too old
 *
 * @example
 * ```ts
 * import { openRegistry } from '@passport-registry/verifier/node';
 *
 * const registry = await openRegistry('dist', { rootKey: pinnedJwk, maxAge: 30 * 24 * 60 * 60 });
 * console.log(registry.list({ tiers: ['certified'] }).length); // 2
 * ```
 */
export function openRegistry(
  copy: string | RegistryFiles | StoredPublication,
  options: OpenOptions,
): Promise<Registry> {
  return openCopy(typeof copy === 'string' ? folderFiles(copy) : copy, options);
}

function folderFiles(folder: string): RegistryFiles {
  return {
    get: async (path) => {
      try {
        return await readFile(join(folder, path));
      } catch (error) {
        const { code } = error as NodeJS.ErrnoException;
        if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
        throw error;
      }
    },
  };
}
