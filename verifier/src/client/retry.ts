import { untilAborted } from '../http/deadline.js';
import { retryDelay } from '../publication/hashed-file.js';

/**
 * Waits before a retry.
 *
 * @param attempt - the number of the retry, counted from 1
 * @param failure - why the client retries. Thrown if the signal aborts: it is more informative than a timeout
 */
export async function pauseBeforeRetry(attempt: number, signal: AbortSignal, failure: Error): Promise<void> {
  await untilAborted(new Promise((resolve) => setTimeout(resolve, retryDelay(attempt))), signal).catch(() => {
    throw failure;
  });
}
