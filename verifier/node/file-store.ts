import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { RegistryStore, StoredPublication } from '@passport-registry/verifier';

/**
 * A store in a file, replaced as a whole by a rename. The file is a bundle, too: `openRegistry` of
 * `@passport-registry/verifier/node` opens it without a network.
 *
 * @param file - its path; its folder is made when it is not there
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
      // One after the other: two renames out of order would bring the older one back.
      saving = saving.catch(() => undefined).then(() => replace(file, JSON.stringify(publication)));
      return saving;
    },
  };
}

async function replace(file: string, text: string): Promise<void> {
  const fresh = `${file}.${process.pid}.new`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(fresh, text, { mode: 0o600, flush: true });
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
