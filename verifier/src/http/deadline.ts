import { RegistryError } from '../core/errors.js';

/** One time limit that several requests share. */
export interface Deadline {
  /** Aborts when the time is up, when the parent aborts, or when `abort` is called. The reason is the error. */
  readonly signal: AbortSignal;
  /** Ends the requests now. */
  abort(reason: Error): void;
  /** Stops the timer, after the requests have ended. */
  clear(): void;
}

/**
 * Starts a deadline.
 *
 * @param parent - a signal that also ends the requests, if any
 */
export function startDeadline(milliseconds: number, parent?: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(parent?.reason);
  if (parent?.aborted) abort();
  parent?.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(
    () =>
      controller.abort(
        new RegistryError('ERR_SOURCE_TIMEOUT', 'the source did not respond before its deadline'),
      ),
    milliseconds,
  );
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    clear: () => {
      clearTimeout(timer);
      parent?.removeEventListener('abort', abort);
    },
  };
}

/** Waits for work, but rejects as soon as a signal aborts. This works even if a custom `fetch` ignores the signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
