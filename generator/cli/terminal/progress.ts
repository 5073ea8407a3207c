import type { OnProgress } from '../../progress.js';
import type { Io } from './io.js';
import { grouped } from './output.js';

/** Work that ends sooner shows nothing. Milliseconds. */
const FIRST_SHOWN_AFTER_MS = 500;
const REDRAW_INTERVAL_MS = 100;

/**
 * A line on the terminal that says how far the work has come, and goes away with it. Where stderr is no terminal there
 * is none.
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

/** Runs some work with a progress line on the terminal. */
export async function withProgress<T>(io: Io, work: (onProgress: OnProgress) => Promise<T>): Promise<T> {
  const { onProgress, clear } = terminalProgress(io);
  try {
    return await work(onProgress);
  } finally {
    clear();
  }
}
