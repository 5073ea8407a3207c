import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import {
  type AnchoredOpenOptions,
  type OpenOptions,
  openRegistry as openCopy,
  type Registry,
  RegistryError,
  type RegistryFiles,
  type StoredPublication,
} from '@passport-registry/verifier';

/**
 * Opens a copy of a registry without a network: a folder with the tree, a file of `fileStore`, or any copy that the
 * `openRegistry` of `@passport-registry/verifier` opens.
 *
 * @param copy - the path of a folder or a file, the files of a copy, or a bundle
 * @throws all errors of a source; {@link OptionsInvalid}; `ERR_BUNDLE_INVALID` if a file is not a stored publication;
 *   `ERR_LIST_EXPIRED` if the copy is too old
 *
 * @example
 * ```ts
 * import { openRegistry } from '@passport-registry/verifier/node';
 *
 * const registry = await openRegistry('dist', { rootKey: pinnedJwk, maxAge: 30 * 24 * 60 * 60 });
 * console.log(registry.list({ tiers: ['certified'] }).length); // 2
 * ```
 */
export async function openRegistry(
  copy: string | RegistryFiles | StoredPublication,
  options: OpenOptions | AnchoredOpenOptions,
): Promise<Registry> {
  if (typeof copy !== 'string') return openCopy(copy, options);
  const isFile = (await statsOf(copy))?.isFile() === true;
  return openCopy(isFile ? await readBundle(copy) : folderFiles(copy), options);
}

async function readBundle(file: string): Promise<StoredPublication> {
  const text = await readFile(file, 'utf8');
  try {
    return JSON.parse(text) as StoredPublication;
  } catch (cause) {
    throw new RegistryError('ERR_BUNDLE_INVALID', `${file} is neither a folder nor a stored publication`, {
      cause,
    });
  }
}

function folderFiles(folder: string): RegistryFiles {
  return {
    get: async (path, maxBytes = Number.POSITIVE_INFINITY) => {
      const file = join(folder, path);
      const stats = await statsOf(file);
      if (stats === undefined) return undefined;
      if (!stats.isFile()) throw new RegistryError('ERR_SOURCE_CONTENT', `${path} is not a file`);
      const chunks: Uint8Array[] = [];
      // `end` is inclusive, so this reads one byte more than allowed. A file that grows meanwhile is detected, too.
      for await (const chunk of createReadStream(file, { end: maxBytes })) chunks.push(chunk);
      const bytes = Buffer.concat(chunks);
      if (bytes.length > maxBytes)
        throw new RegistryError('ERR_SOURCE_TOO_LARGE', `${path} is larger than ${maxBytes} bytes`);
      return bytes;
    },
  };
}

async function statsOf(path: string) {
  try {
    return await stat(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw error;
  }
}
