import { sha256Hex } from '../encoding/sha256.js';
import { type RegistryError, SourceStatus, SumsMismatch } from '../errors.js';
import type { RegistryFiles } from './registry-files.js';

/** How often a file with the wrong hash is requested again (rule sums-caches). */
const RETRIES = 2;
/** How long to wait before the last request, in milliseconds. */
const RETRY_DELAY_MS = 200;

/**
 * Reads a file whose SHA-256 is known. A publication replaces files one by one, and caches mix. A file with another hash
 * is therefore requested again with the expected hash as the query: hosts ignore the query, and caches do not. A cache
 * may also remember that there was no such file.
 *
 * @throws {@link SumsMismatch}; {@link SourceStatus} if there is no such file
 */
export async function readHashedFile(
  files: RegistryFiles,
  path: string,
  sha256: string,
): Promise<Uint8Array> {
  let failure: RegistryError | undefined;
  for (let attempt = 0; ; attempt++) {
    const bytes = await files.get(attempt === 0 ? path : `${path}?${sha256}`);
    const found = bytes && (await sha256Hex(bytes));
    if (bytes !== undefined && found === sha256) return bytes;
    // The first failure is the most informative: some hosts do not know a path with a query.
    failure ??=
      found === undefined
        ? new SourceStatus(`the source has no ${path}, which its publication lists`)
        : new SumsMismatch(`${path} has the SHA-256 ${found} instead of ${sha256}`);
    if (attempt === RETRIES) throw failure;
    if (attempt > 0) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
  }
}
