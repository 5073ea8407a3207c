import { setTimeout } from 'node:timers/promises';
import { IoFailed } from '../../generator/errors.js';
import { LockHeld, withOutputLock } from '../../generator/files/output-lock.js';

/** How long to wait for another process that cosigns a head of the same log, in milliseconds. */
const MAX_WAIT_MS = 20_000;
/** The pause before another attempt, at most. It is random, so that no process always comes too late. */
const RETRY_MS = 5;
/** The pause between two turns of this process, in which another process can take the lock. */
const PAUSE_MS = 1;

/** The turns that wait in this process, by file: one turn is first in line for the lock of the file. */
const turns = new Map<string, Promise<unknown>>();

/**
 * Runs a function that nobody else runs for the same file meanwhile, in this process or in another one. Waits for others.
 *
 * @param work - receives a temporary folder on the same file system
 * @throws {@link IoFailed} if another process does not finish in time
 */
export async function withFileLock<T>(file: string, work: (temporary: string) => Promise<T>): Promise<T> {
  const before = turns.get(file);
  const turn = (async () => {
    if (before !== undefined) await before.catch(() => undefined).then(() => setTimeout(PAUSE_MS));
    return withLock(file, work);
  })();
  turns.set(file, turn);
  try {
    return await turn;
  } finally {
    if (turns.get(file) === turn) turns.delete(file);
  }
}

async function withLock<T>(file: string, work: (temporary: string) => Promise<T>): Promise<T> {
  const deadline = performance.now() + MAX_WAIT_MS;
  for (;;) {
    try {
      return await withOutputLock(file, work);
    } catch (error) {
      if (!(error instanceof LockHeld)) throw error;
      if (performance.now() > deadline) {
        throw new IoFailed(`another process uses ${file}, and does not finish`, { cause: error });
      }
    }
    await setTimeout(Math.random() * RETRY_MS);
  }
}
