import { once } from 'node:events';
import { type FSWatcher, statSync, watch } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { IoFailed } from '../../generator/errors.js';
import type { Io } from './io.js';
import { run } from './run.js';

/** Does work until the process is told to stop: SIGINT and SIGTERM abort the signal. */
async function untilStopped<T>(work: (stop: AbortSignal) => Promise<T>): Promise<T> {
  const controller = new AbortController();
  const stop = () => controller.abort();
  process.once('SIGINT', stop).once('SIGTERM', stop);
  try {
    return await work(controller.signal);
  } finally {
    process.off('SIGINT', stop).off('SIGTERM', stop);
  }
}

/**
 * Waits until a server listens, and closes it when the process is told to stop.
 *
 * @param setting - where the port was chosen, for messages
 * @throws {@link IoFailed} if it cannot listen on the port
 */
export async function serveUntilStopped<Server extends { close(): unknown }>(
  starting: Promise<Server>,
  { port, setting = '--port' }: { readonly port: number; readonly setting?: '--port' | 'listen' },
  onListening: (server: Server) => void,
): Promise<void> {
  const server = await starting.catch((cause: NodeJS.ErrnoException) => {
    if (cause.syscall !== 'listen') throw cause;
    throw new IoFailed(whyNotListening(cause, port, setting), { cause });
  });
  onListening(server);
  await untilStopped((stop) => once(stop, 'abort'));
  await server.close();
}

function whyNotListening({ code, message }: NodeJS.ErrnoException, port: number, setting: string): string {
  switch (code) {
    case 'EADDRINUSE':
      return `port ${port} is in use: stop the process that uses the port, or choose another with ${setting}`;
    case 'EACCES':
      return `port ${port} needs more rights: choose a port from 1024 up with ${setting}`;
    default:
      return `cannot listen on port ${port}: ${message}`;
  }
}

/** How long to wait for further changes after a change, because editors write in several steps. */
const SETTLE_MS = 100;
/** How often to check whether a path still leads to the watched file or folder. */
const LOOK_INTERVAL_MS = 500;

/**
 * Does work now, and again after each change in files and folders, one run at a time, until the process is told to
 * stop. Errors are printed and do not end the watch.
 */
export async function watchForever(
  io: Io,
  paths: readonly string[],
  work: () => Promise<void>,
): Promise<number> {
  const missing = paths.find((path) => identity(path) === undefined);
  if (missing !== undefined) throw new IoFailed(`there is nothing to watch: ${missing} does not exist`);
  let running: Promise<unknown> = Promise.resolve();
  const again = () => {
    running = running.then(() => run(io, false, work));
  };
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = globalThis.setTimeout(again, SETTLE_MS);
  };
  const ends = paths.map((path) => watchPath(path, changed));
  again();
  await untilStopped((stop) => once(stop, 'abort'));
  for (const end of ends) end();
  clearTimeout(timer);
  return 0;
}

/**
 * Watches a path. The system watches a folder, not its path: if the folder is removed, renamed or hidden by a mount, a
 * new watch starts as soon as the path exists again.
 *
 * @returns a function that ends the watch
 */
function watchPath(path: string, changed: () => void): () => void {
  let watcher: FSWatcher | undefined;
  let watched: string | undefined;
  const lose = () => {
    watched = LOST;
  };
  const open = () => {
    watcher?.close();
    watcher = undefined;
    watched = identity(path);
    if (watched === undefined) return;
    try {
      watcher = watch(path, { recursive: true }, changed).on('error', lose);
    } catch {
      lose();
    }
  };
  open();
  const timer = setInterval(() => {
    if (identity(path) === watched) return;
    open();
    changed();
  }, LOOK_INTERVAL_MS);
  return () => {
    clearInterval(timer);
    watcher?.close();
  };
}

/** No path has this identity. */
const LOST = 'lost';

/** Returns a string that differs if another file or folder replaces the one at a path. */
function identity(path: string): string | undefined {
  try {
    const { dev, ino, birthtimeMs } = statSync(path);
    return `${dev} ${ino} ${birthtimeMs}`;
  } catch {
    return undefined;
  }
}

/**
 * Does work now, and again after each pause, until the process is told to stop. Errors are printed and do not end the
 * loop.
 *
 * @param json - whether errors are also printed as JSON
 */
export function repeatForever(
  io: Io,
  { seconds, json }: { readonly seconds: number; readonly json: boolean },
  work: () => Promise<number> | Promise<void>,
): Promise<number> {
  return untilStopped(async (stop) => {
    while (!stop.aborted) {
      await run(io, json, work);
      await setTimeout(seconds * 1000, undefined, { signal: stop }).catch(() => undefined);
    }
    return 0;
  });
}
