import { SourceTimeout } from '../errors.js';

/** One time limit for several requests together. */
export interface Deadline {
  /** Aborted at the end of the time, with the parent, or by `abort`. The reason is an error that says which. */
  readonly signal: AbortSignal;
  /** Ends the requests now. */
  abort(reason: Error): void;
  /** Stops the clock: the requests have ended. */
  clear(): void;
}

/**
 * Starts a deadline.
 *
 * @param parent - a signal that also ends the requests
 */
export function startDeadline(milliseconds: number, parent: AbortSignal): Deadline {
  const controller = new AbortController();
  const abort = () => controller.abort(parent.reason);
  if (parent.aborted) abort();
  parent.addEventListener('abort', abort, { once: true });
  const timer = setTimeout(
    () => controller.abort(new SourceTimeout('the source did not answer before its deadline')),
    milliseconds,
  );
  return {
    signal: controller.signal,
    abort: (reason) => controller.abort(reason),
    clear: () => {
      clearTimeout(timer);
      parent.removeEventListener('abort', abort);
    },
  };
}

/** Rejects with the reason of a signal once the signal is aborted, even if a custom `fetch` ignores the signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', abort));
  });
}
