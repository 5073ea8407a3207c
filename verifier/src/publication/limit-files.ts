import { SourceTooLarge } from '../errors.js';
import { limitOf } from '../limits.js';
import type { RegistryFiles } from './registry-files.js';

/**
 * Enforces the size limits for files from any source, and reads each file only once. A path with a query is a retry, and
 * is read again each time.
 */
export function limitFiles(files: RegistryFiles): RegistryFiles {
  const read = new Map<string, Promise<Uint8Array | undefined>>();
  return {
    get: (path, maxBytes = limitOf(path)) => {
      const bytes = read.get(path) ?? readBounded(files, path, maxBytes);
      if (!path.includes('?')) read.set(path, bytes);
      return bytes;
    },
  };
}

async function readBounded(
  files: RegistryFiles,
  path: string,
  maxBytes: number,
): Promise<Uint8Array | undefined> {
  const bytes = await files.get(path, maxBytes);
  if (bytes !== undefined && bytes.length > maxBytes) {
    throw new SourceTooLarge(`${path} is larger than ${maxBytes} bytes`);
  }
  return bytes;
}
