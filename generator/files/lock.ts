import { accessSync, constants, mkdirSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { lock } from 'proper-lockfile';
import { IoFailed } from '../errors.js';

/** How old the last sign of life of a lock is when its owner counts as dead, in milliseconds. */
const DEAD_AFTER_MS = 15_000;
/** How often the owner of a lock shows that it is alive, in milliseconds. */
const HEARTBEAT_MS = 3000;
/** How long to wait for a lock, in milliseconds: longer than a dead owner keeps it. */
const WAIT_MS = 20_000;
/** The pause before another attempt, in milliseconds. */
const RETRY_MS = 20;

// The library ends a process that reaches its limit of file sizes, unless somebody listens. The write then fails, as on a full disk.
process.on('SIGXFSZ', () => undefined);

/** Another process holds a lock. */
export class LockHeld extends IoFailed {}

/** A lock that this process holds. */
export interface HeldLock {
  /**
   * Asserts that nobody has taken the lock over, as after this machine slept: what follows changes files.
   *
   * @throws {@link LockHeld}
   */
  assertHeld(): void;
}

/**
 * Runs a function while no other process, and no other call in this process, runs one for the same path. Waits for others, and for
 * the lock of a process that was killed. The lock is a folder beside the path. On a network file system, it holds for one machine.
 *
 * @throws {@link LockHeld} if another process does not finish in time; {@link IoFailed}
 */
export async function withLock<T>(path: string, work: (held: HeldLock) => Promise<T>): Promise<T> {
  const folder = dirname(resolve(path));
  const place = join(folder, `.${basename(resolve(path))}.lock`);
  let isLost = false;
  const onCompromised = () => {
    isLost = true;
  };
  const retries = { retries: WAIT_MS / RETRY_MS, factor: 1, minTimeout: RETRY_MS, maxTimeout: RETRY_MS };
  let release: () => Promise<void>;
  try {
    mkdirSync(folder, { recursive: true });
    // The library would try again until the time is over.
    accessSync(folder, constants.W_OK);
    release = await lock(path, {
      realpath: false,
      lockfilePath: place,
      stale: DEAD_AFTER_MS,
      update: HEARTBEAT_MS,
      retries,
      onCompromised,
    });
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ELOCKED')
      throw new LockHeld(`another command uses ${path}, and does not finish: run this again when it has`);
    throw new IoFailed(`${folder} cannot be written: ${message}`, { cause });
  }
  const assertHeld = () => {
    if (isLost) throw new LockHeld(`another command has taken over ${path}: run this again`);
  };
  try {
    return await work({ assertHeld });
  } finally {
    // A lock that somebody has taken over is not ours to remove.
    if (!isLost) await release().catch(() => undefined);
  }
}
