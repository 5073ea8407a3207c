import fs from 'node:fs';
import { resolve } from 'node:path';
import { withFs } from './patched-fs.js';

/** How a process ends at a change of the disk. */
interface Death {
  /** How many changes succeed before. */
  readonly after: number;
  /** Whether power is lost: files that were not flushed are then empty. */
  readonly losesPower: boolean;
}

const CHANGES = [
  'openSync',
  'writeFileSync',
  'renameSync',
  'rmSync',
  'rmdirSync',
  'unlinkSync',
  'linkSync',
  'mkdirSync',
  'utimesSync',
  'fchmodSync',
  'fsyncSync',
] as const;

/**
 * Does work whose process dies at one of its changes of the disk: that change, and every later one, fails. So nothing is cleaned up,
 * as after `kill -9`.
 *
 * @returns whether it died, and how many changes it has made
 */
export async function dying(
  death: Death,
  work: () => Promise<unknown>,
): Promise<{ readonly isDead: boolean; readonly changes: number }> {
  let changes = 0;
  let isDead = false;
  const unflushed = new Set<string>();
  const opened = new Map<number, string>();
  const original = { fsync: fs.fsync };
  let isLosing = false;
  const loseUnflushed = () => {
    isLosing = true;
    for (const file of death.losesPower ? unflushed : []) if (fs.existsSync(file)) fs.truncateSync(file, 0);
    isLosing = false;
  };
  const step = () => {
    // `truncateSync` opens its file by the function that stands here.
    if (isLosing) return;
    if (!isDead && changes < death.after) {
      changes += 1;
      return;
    }
    if (!isDead) loseUnflushed();
    isDead = true;
    throw Object.assign(new Error('EIO: the process is dead'), { code: 'EIO' });
  };
  const patched = Object.fromEntries(
    CHANGES.map((name) => {
      const own = fs[name] as (...args: unknown[]) => unknown;
      return [
        name,
        (...args: unknown[]) => {
          const isReading = name === 'openSync' && !/[wa]|r\+/.test(String(args[1] ?? 'r'));
          if (!isReading) step();
          const done = own(...args);
          if (name === 'openSync' && !isReading && !isLosing) remember(done as number, String(args[0]));
          if (name === 'writeFileSync' && typeof args[0] === 'string') unflushed.add(resolve(args[0]));
          if (name === 'fsyncSync') unflushed.delete(opened.get(args[0] as number) ?? '');
          if (name === 'renameSync') move(resolve(String(args[0])), resolve(String(args[1])));
          return done;
        },
      ];
    }),
  );
  const remember = (descriptor: number, file: string) => {
    opened.set(descriptor, resolve(file));
    // `r+` opens a file only to flush it.
    if (fs.fstatSync(descriptor).size === 0) unflushed.add(resolve(file));
  };
  const move = (from: string, to: string) => {
    if (unflushed.delete(from)) unflushed.add(to);
    else unflushed.delete(to);
  };
  const fsync = (descriptor: number, done: (error: Error | null) => void) => {
    try {
      step();
    } catch (error) {
      return done(error as Error);
    }
    unflushed.delete(opened.get(descriptor) ?? '');
    return original.fsync(descriptor, done);
  };
  await withFs({ ...patched, fsync } as unknown as Partial<typeof fs>, work);
  return { isDead, changes };
}
