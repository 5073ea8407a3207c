import type { RegistryErrorCode } from '../core/errors.js';
import type { Refused } from './client-events.js';

/** How many times to retry a source that may be in the middle of a publication (rule retries). */
const RETRIES = 2;
/** A publication takes milliseconds. A cache that still has an old file takes longer. */
const RETRY_DELAY_MS = 200;
/**
 * Errors of files that do not belong to `statements.json`: a publication or a cache can cause them, and a retry may resolve
 * them (rule retries). What is wrong within that one file stays wrong.
 */
const TRANSIENT: readonly RegistryErrorCode[] = ['ERR_PUBLICATION_MISMATCH', 'ERR_LOG_INCONSISTENT'];

/**
 * Returns how long to wait before a source is asked again, in milliseconds. Undefined if it is not.
 *
 * @param random - from 0 to 1
 */
export function retryDelay({ of, error }: Refused, random: number): number | undefined {
  const mayRetry = of.attempt < RETRIES && TRANSIENT.includes(error.code);
  return mayRetry ? RETRY_DELAY_MS * (of.attempt + 1) * (0.5 + random) : undefined;
}
