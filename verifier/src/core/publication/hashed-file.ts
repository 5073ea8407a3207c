import { sha256Hex } from '../bytes/sha256.js';
import { RegistryError } from '../errors.js';
import { limitOf } from '../limits.js';
import type { RegistryFiles } from './registry-files.js';

/**
 * Reads a file whose SHA-256 is known (rule sums-proof).
 *
 * @throws `ERR_SUMS_MISMATCH`; `ERR_SOURCE_STATUS` if there is no such file
 */
export async function readHashedFile(
  files: RegistryFiles,
  path: string,
  sha256: string,
): Promise<Uint8Array> {
  const bytes = await files.get(path, limitOf(path), sha256);
  if (bytes === undefined)
    throw new RegistryError('ERR_SOURCE_STATUS', `the source has no ${path}, which its publication lists`);
  const found = await sha256Hex(bytes);
  if (found !== sha256)
    throw new RegistryError('ERR_SUMS_MISMATCH', `${path} has the SHA-256 ${found} instead of ${sha256}`);
  return bytes;
}
