import type { OnProgress } from '../../generator/progress.js';
import { grouped, type Io } from './io.js';

/** Work that takes less time shows no progress. */
const FIRST_SHOWN_AFTER_MS = 500;
const REDRAW_INTERVAL_MS = 100;

/** Does work, and shows its progress in one line meanwhile, if stderr is a terminal. */
export async function withProgress<T>(
  { stderr }: Io,
  work: (onProgress: OnProgress) => Promise<T>,
): Promise<T> {
  let next = stderr.isTTY ? performance.now() + FIRST_SHOWN_AFTER_MS : Number.POSITIVE_INFINITY;
  let shown = false;
  try {
    return await work((stage, done, total) => {
      if (performance.now() < next) return;
      next = performance.now() + REDRAW_INTERVAL_MS;
      stderr.write(`\r\u001b[K${stage} ${grouped(done)} of ${grouped(total)}`);
      shown = true;
    });
  } finally {
    if (shown) stderr.write('\r\u001b[K');
  }
}
