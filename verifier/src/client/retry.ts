import { untilAborted } from '../http/deadline.js';

/** How many times to retry a source that may be in the middle of a publication (SPEC B6, C2). */
export const RETRIES = 2;
/** A publication takes milliseconds. A cache that still has an old file takes longer. */
const RETRY_DELAY_MS = 200;

/**
 * Waits before a retry.
 *
 * @param attempt - the number of the retry, counted from 1
 * @param failure - why the client retries. Thrown if the signal aborts: it is more informative than a timeout
 */
export async function pauseBeforeRetry(attempt: number, signal: AbortSignal, failure: Error): Promise<void> {
  const delay = RETRY_DELAY_MS * attempt * (0.5 + Math.random());
  await untilAborted(new Promise((resolve) => setTimeout(resolve, delay)), signal).catch(() => {
    throw failure;
  });
}
