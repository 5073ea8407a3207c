import { hashHex } from '../encoding/sha256-sync.js';
import { type RegistryError, SourceStatus, SumsMismatch } from '../errors.js';

/** How many times to retry a source that may be in the middle of a publication (SPEC B6, C2). */
export const RETRIES = 2;
/** A publication takes milliseconds. A cache that still has an old file takes longer. */
const RETRY_DELAY_MS = 200;

/** Returns how long to wait before a retry, in milliseconds. @param attempt - counted from 1 */
export function retryDelay(attempt: number): number {
  return RETRY_DELAY_MS * attempt * (0.5 + Math.random());
}

/** A file whose SHA-256 is known. */
export interface HashedFile {
  readonly path: string;
  /** The expected SHA-256, in lower-case hexadecimal. */
  readonly sha256: string;
}

/**
 * Requests a file until its hash is right. A publication replaces files one by one, and caches mix. A retry therefore has
 * the expected hash as its query: caches then ask the host, which ignores the query (SPEC C2).
 *
 * @param get - requests a path. Returns undefined if the source has no such file
 * @param beforeRetry - called before each retry
 * @throws {@link SumsMismatch}; {@link SourceStatus} if there is no such file
 */
export async function readHashedFile(
  get: (path: string) => Promise<Uint8Array | undefined>,
  { path, sha256 }: HashedFile,
  beforeRetry: (attempt: number, failure: RegistryError) => Promise<void>,
): Promise<Uint8Array> {
  let failure: RegistryError | undefined;
  for (let attempt = 0; ; attempt++) {
    if (failure !== undefined) await beforeRetry(attempt, failure);
    const bytes = await get(attempt === 0 ? path : `${path}?${sha256}`);
    const found = bytes && hashHex(bytes);
    if (bytes !== undefined && found === sha256) return bytes;
    // The first failure is the most informative: some hosts do not know a path with a query.
    failure ??=
      found === undefined
        ? new SourceStatus(`the source has no ${path}, which its publication needs`)
        : new SumsMismatch(`${path} must have the SHA-256 ${sha256}, but has ${found}`);
    if (attempt === RETRIES) throw failure;
  }
}

/** Waits before a retry, but not before the first: its query avoids caches. */
export async function pauseBetweenRetries(attempt: number): Promise<void> {
  if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, retryDelay(attempt - 1)));
}
