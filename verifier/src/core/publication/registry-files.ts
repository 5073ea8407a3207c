import { sha256Hex } from '../bytes/sha256.js';
import { RegistryError } from '../errors.js';
import { limitOf } from '../limits.js';

/** Provides the files of a registry, from a host, a folder or a bundle. */
export interface RegistryFiles {
  /**
   * Returns the bytes of a file, or undefined if there is no such file.
   *
   * @param path - the path of the file in the tree
   * @param maxBytes - the caller refuses larger files. An implementation may stop reading at this size
   * @param sha256 - the SHA-256 that the file must have, in lower-case hexadecimal, if the file has been read before and
   *   had another one. An implementation may ask past caches then
   */
  get(path: string, maxBytes?: number, sha256?: string): Promise<Uint8Array | undefined>;
}

/**
 * Enforces the size limits for files from any source (rule limits), and reads each file only once, unless it had another hash.
 */
export function limitFiles(files: RegistryFiles): RegistryFiles {
  const read = new Map<string, Promise<Uint8Array | undefined>>();
  return {
    get: (path, maxBytes = limitOf(path), sha256) => {
      if (sha256 !== undefined) return readBounded(files, path, { maxBytes, sha256 });
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

/**
 * Reads a file whose SHA-256 is known (rule sums-proof). A file with another one is read once more: a cache may have an old
 * version.
 *
 * @throws `ERR_SUMS_MISMATCH`; `ERR_SOURCE_STATUS` if there is no such file
 */
export async function readHashedFile(
  files: RegistryFiles,
  path: string,
  sha256: string,
): Promise<Uint8Array> {
  const first = await files.get(path);
  const found = first && (await sha256Hex(first));
  if (first !== undefined && found === sha256) return first;
  const again = await files.get(path, limitOf(path), sha256);
  if (again !== undefined && (await sha256Hex(again)) === sha256) return again;
  throw found === undefined
    ? new RegistryError('ERR_SOURCE_STATUS', `the source has no ${path}, which its publication lists`)
    : new RegistryError('ERR_SUMS_MISMATCH', `${path} has the SHA-256 ${found} instead of ${sha256}`);
}
