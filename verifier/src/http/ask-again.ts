import { sha256Hex } from '../core/bytes/sha256.js';
import type { RegistryFiles } from '../core/publication/registry-files.js';

/** How often a file with the wrong hash is requested again (rule sums-caches). */
const RETRIES = 2;
/** How long to wait before the last request, in milliseconds. */
const RETRY_DELAY_MS = 200;

/**
 * Returns files that are requested past caches if they did not have the expected hash. A publication replaces files one by
 * one, and caches mix. The query of the request is the expected hash: hosts ignore the query, and caches do not. A cache may
 * also remember that there was no such file.
 */
export function askAgain(files: RegistryFiles): RegistryFiles {
  return {
    get: async (path, maxBytes, sha256) => {
      if (sha256 === undefined) return files.get(path, maxBytes);
      for (let attempt = 1; attempt <= RETRIES; attempt++) {
        if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
        const bytes = await files.get(`${path}?${sha256}`, maxBytes);
        if (bytes !== undefined && (await sha256Hex(bytes)) === sha256) return bytes;
      }
      return undefined;
    },
  };
}
