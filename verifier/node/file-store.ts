import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RegistryStore, StoredPublication } from '@passport-registry/verifier';

/**
 * Creates a store in a file. Each save replaces the whole file by a rename. The file is also a bundle: the
 * `openRegistry` of `@passport-registry/verifier/node` opens the file without a network.
 *
 * @param file - the path of the file. The store creates the folder if it does not exist
 *
 * @example
 * ```ts
 * import { createRegistryClient } from '@passport-registry/verifier';
 * import { fileStore } from '@passport-registry/verifier/node';
 *
 * const registry = createRegistryClient({
 *   sources: ['https://registry.example'],
 *   rootKey: pinnedJwk,
 *   store: fileStore('state/registry.json'),
 * });
 * await registry.ready();
 * registry.close();
 * ```
 */
export function fileStore(file: string): RegistryStore {
  let saving: Promise<void> = Promise.resolve();
  return {
    load: async () => {
      try {
        return JSON.parse(await readFile(file, 'utf8')) as StoredPublication;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
        throw error;
      }
    },
    save: (publication) => {
      // Saves run one after the other: two renames out of order would restore the older publication.
      saving = saving.catch(() => undefined).then(() => replace(file, JSON.stringify(publication)));
      return saving;
    },
  };
}

async function replace(file: string, text: string): Promise<void> {
  const temporary = `${file}.${process.pid}.new`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(temporary, text, { mode: 0o600, flush: true });
    await rename(temporary, file);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}
