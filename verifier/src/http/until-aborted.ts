/** Waits for work, but rejects as soon as a signal aborts. This works even if a custom `fetch` ignores the signal. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abort = () => reject(signal.reason);
    if (signal.aborted) abort();
    signal.addEventListener('abort', abort, { once: true });
    const settle =
      <V>(outcome: (value: V) => void) =>
      (value: V) => {
        signal.removeEventListener('abort', abort);
        outcome(value);
      };
    work.then(settle(resolve), settle(reject));
  });
}
