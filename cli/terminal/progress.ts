import type { OnProgress } from '../../generator/progress.js';
import { grouped, type Io } from './io.js';

/** Work that takes less time shows no progress. */
const FIRST_SHOWN_AFTER_MS = 500;
const REDRAW_INTERVAL_MS = 100;

/**
 * Shows progress in one line on the terminal, until `clear` removes the line. If stderr is not a terminal, nothing is
 * shown.
 */
function terminalProgress({ stderr }: Io): { readonly onProgress: OnProgress; clear(): void } {
  if (!stderr.isTTY) return { onProgress: () => undefined, clear: () => undefined };
  let next = performance.now() + FIRST_SHOWN_AFTER_MS;
  let shown = false;
  const clear = () => {
    if (shown) stderr.write('\r\u001b[K');
    shown = false;
  };
  const onProgress: OnProgress = (stage, done, total) => {
    if (performance.now() < next) return;
    next = performance.now() + REDRAW_INTERVAL_MS;
    stderr.write(`\r\u001b[K${stage} ${grouped(done)} of ${grouped(total)}`);
    shown = true;
  };
  return { onProgress, clear };
}

/** Does work with a progress line on the terminal. */
export async function withProgress<T>(io: Io, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const { onProgress, clear } = terminalProgress(io);
  try {
    return await work(onProgress);
  } finally {
    clear();
  }
}
