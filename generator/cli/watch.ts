import { watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { IoFailed } from '../errors.js';
import { say } from './output.js';

/** After a change this long nothing else may change: editors write in several steps. Milliseconds. */
const SETTLED = 100;

/**
 * Does some work now and after each change below some files and folders, one at a time, until the process is told to stop.
 * What goes wrong is said, and the watching goes on.
 */
export function watchForever(paths: readonly string[], work: () => Promise<void>): Promise<number> {
  return new Promise((resolve, reject) => {
    let running = Promise.resolve();
    const again = () => {
      running = running.then(work).catch((error: Error) => say(`passport-registry: ${error.message}`));
    };
    let timer: NodeJS.Timeout | undefined;
    const changed = () => {
      clearTimeout(timer);
      timer = globalThis.setTimeout(again, SETTLED);
    };
    try {
      const watchers = paths.map((path) => watch(path, { recursive: true }, changed));
      const stop = () => {
        for (const watcher of watchers) watcher.close();
        clearTimeout(timer);
        resolve(0);
      };
      process.once('SIGINT', stop).once('SIGTERM', stop);
      again();
    } catch (cause) {
      reject(new IoFailed(`there is nothing to watch: ${(cause as Error).message}`, { cause }));
    }
  });
}

/** Does some work now and again after each pause, until the process is told to stop. What goes wrong is said, and it goes on. */
export async function repeatForever(seconds: number, work: () => Promise<void>): Promise<number> {
  const stop = new AbortController();
  const abort = () => stop.abort();
  process.once('SIGINT', abort).once('SIGTERM', abort);
  while (!stop.signal.aborted) {
    await work().catch((error: Error) => say(`passport-registry: ${error.message}`));
    await setTimeout(seconds * 1000, undefined, { signal: stop.signal }).catch(() => undefined);
  }
  return 0;
}
