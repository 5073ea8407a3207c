import fs from 'node:fs';
import { withFs } from './patched-fs.js';

/** How a process ended that was to die. */
export interface Death {
  /** Whether it came so far. If not, its work is done. */
  readonly died: boolean;
}

/**
 * Does work in a process that dies, for everything that it writes: from the call of that number on, nothing changes the disk any
 * more. As after a loss of power, files that were not flushed until then are empty.
 */
export async function dyingAt(nth: number, work: () => Promise<unknown>): Promise<Death> {
  const own = { ...fs };
  let calls = 0;
  const opened = new Map<number, string>();
  const unflushed = new Set<string>();
  const dead = () => Object.assign(new Error(`dead at call ${nth}`), { code: 'EIO' });
  const isDead = () => calls++ >= nth;
  /** Wraps a function that changes the disk. */
  const changing = <A extends unknown[], R>(change: (...args: A) => R) =>
    ((...args: A): R => {
      if (isDead()) throw dead();
      return change(...args);
    }) as never;
  const others: Partial<typeof fs> = {
    openSync: ((path: string, flags: string | number = 'r', mode?: number) => {
      const isWritten = typeof flags === 'string' && /[wa]/.test(flags);
      if (isWritten && isDead()) throw dead();
      const descriptor = own.openSync(path, flags, mode);
      opened.set(descriptor, path);
      if (isWritten) unflushed.add(path);
      return descriptor;
    }) as typeof fs.openSync,
    fsyncSync: (descriptor) => {
      if (isDead()) throw dead();
      own.fsyncSync(descriptor);
      unflushed.delete(opened.get(descriptor) ?? '');
    },
    fsync: ((descriptor, done) => {
      if (isDead()) return void setImmediate(() => done(dead()));
      own.fsync(descriptor, (error) => {
        unflushed.delete(opened.get(descriptor) ?? '');
        done(error);
      });
    }) as typeof fs.fsync,
    renameSync: changing((from: string, to: string) => {
      own.renameSync(from, to);
      if (unflushed.delete(from)) unflushed.add(to);
    }),
    writeFileSync: changing(own.writeFileSync),
    mkdirSync: changing(own.mkdirSync),
    rmSync: changing(own.rmSync),
    rmdirSync: changing(own.rmdirSync),
    chmodSync: changing(own.chmodSync),
    utimesSync: changing(own.utimesSync),
  };
  await withFs(others, work);
  if (calls <= nth) return { died: false };
  for (const path of unflushed) if (fs.existsSync(path)) fs.truncateSync(path);
  return { died: true };
}
