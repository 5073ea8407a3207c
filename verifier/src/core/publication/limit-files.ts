import { RegistryError } from '../errors.js';
import { limitOf } from '../limits.js';
import type { RegistryFiles } from './registry-files.js';

/**
 * Enforces the size limits for files from any source, and reads each file only once.
 */
export function limitFiles(files: RegistryFiles): RegistryFiles {
  const read = new Map<string, Promise<Uint8Array | undefined>>();
  return {
    get: (path, maxBytes = limitOf(path), sha256) => {
      const bytes = read.get(path) ?? readBounded(files, path, { maxBytes, sha256 });
      read.set(path, bytes);
      return bytes;
    },
  };
}

async function readBounded(
  files: RegistryFiles,
  path: string,
  { maxBytes, sha256 }: { readonly maxBytes: number; readonly sha256: string | undefined },
): Promise<Uint8Array | undefined> {
  const bytes = await files.get(path, maxBytes, sha256);
  if (bytes !== undefined && bytes.length > maxBytes) {
    throw new RegistryError('ERR_SOURCE_TOO_LARGE', `${path} is larger than ${maxBytes} bytes`);
  }
  return bytes;
}
