import { once } from 'node:events';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { IoFailed } from '../../errors.js';
import type { Io } from './io.js';
import { say } from './output.js';
import { untilStopped } from './until-stopped.js';

/** After a change this long nothing else may change: editors write in several steps. Milliseconds. */
const SETTLE_MS = 100;
/** How often it is looked whether a path is still the one that is watched. Milliseconds. */
const LOOK_INTERVAL_MS = 500;

/**
 * Does some work now and after each change below some files and folders, one at a time, until the process is told to stop.
 * What goes wrong is said, and the watching goes on.
 */
export async function watchForever(
  io: Io,
  paths: readonly string[],
  work: () => Promise<void>,
): Promise<number> {
  const missing = paths.find((path) => identity(path) === undefined);
  if (missing !== undefined) throw new IoFailed(`there is nothing to watch: ${missing} does not exist`);
  let running = Promise.resolve();
  const again = () => {
    running = running.then(work).catch((error: Error) => say(io, `passport-registry: ${error.message}`));
  };
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = globalThis.setTimeout(again, SETTLE_MS);
  };
  const watches = paths.map((path) => new PathWatch(path, changed));
  again();
  await untilStopped((stop) => once(stop, 'abort'));
  for (const one of watches) one.close();
  clearTimeout(timer);
  return 0;
}

/**
 * Watches whatever stands at a path. The system watches a folder and not its name: when the folder is removed, renamed or
 * mounted over, the watch is made anew, as soon as there is something to watch.
 */
class PathWatch {
  readonly #path: string;
  readonly #changed: () => void;
  readonly #timer: NodeJS.Timeout;
  #watcher: FSWatcher | undefined;
  #watched: string | undefined;

  constructor(path: string, changed: () => void) {
    this.#path = path;
    this.#changed = changed;
    this.#open();
    this.#timer = setInterval(() => this.#look(), LOOK_INTERVAL_MS);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#watcher?.close();
  }

  #look(): void {
    if (identity(this.#path) === this.#watched) return;
    this.#watcher?.close();
    this.#open();
    this.#changed();
  }

  #open(): void {
    this.#watched = identity(this.#path);
    this.#watcher = undefined;
    if (this.#watched === undefined) return;
    try {
      this.#watcher = watch(this.#path, { recursive: true }, this.#changed);
      this.#watcher.on('error', () => this.#lose());
    } catch {
      this.#lose();
    }
  }

  /** The next look opens it again. */
  #lose(): void {
    this.#watched = LOST;
  }
}

/** No path has this identity. */
const LOST = 'lost';

/** What tells the file or folder at a path from another one that comes to stand there. */
function identity(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(path);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/** Does some work now and again after each pause, until the process is told to stop. What goes wrong is said, and it goes on. */
export function repeatForever(io: Io, seconds: number, work: () => Promise<void>): Promise<number> {
  return untilStopped(async (stop) => {
    while (!stop.aborted) {
      await work().catch((error: Error) => say(io, `passport-registry: ${error.message}`));
      await setTimeout(seconds * 1000, undefined, { signal: stop }).catch(() => undefined);
    }
    return 0;
  });
}
