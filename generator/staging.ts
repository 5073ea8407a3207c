import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { IoFailed } from './errors.js';

/**
 * Runs some work while no other build touches the same output folder. The lock is the staging folder beside it;
 * one that a killed build left behind is taken over.
 *
 * @throws {@link IoFailed} when another build is at work
 */
export async function withStaging<T>(out: string, work: (staging: string) => Promise<T>): Promise<T> {
  const staging = join(dirname(resolve(out)), `.${basename(resolve(out))}.staging`);
  acquire(staging);
  try {
    return await work(staging);
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** The lock appears by one rename, with its owner already in it. */
function acquire(staging: string): void {
  const fresh = `${staging}-${process.pid}`;
  try {
    removeLeftovers(staging);
    mkdirSync(dirname(fresh), { recursive: true });
    // Not recursively: that would say ENOENT where the file system is read-only.
    mkdirSync(fresh);
    writeFileSync(join(fresh, 'pid'), String(process.pid));
    renameSync(fresh, staging);
  } catch (cause) {
    // Below something that is no folder even this fails, and there is nothing to remove.
    if (existsSync(fresh)) rmSync(fresh, { recursive: true });
    const { code, message } = cause as NodeJS.ErrnoException;
    if (code === 'ENOTEMPTY' || code === 'EEXIST') {
      throw new IoFailed(
        `another build or mirror is at work (${staging}); wait for it, or remove that folder if it is dead`,
      );
    }
    throw new IoFailed(`nothing can be prepared beside the output folder: ${message}`, { cause });
  }
}

function removeLeftovers(staging: string): void {
  const folder = dirname(staging);
  if (!existsSync(folder)) return;
  for (const name of readdirSync(folder)) {
    const suffix = name.startsWith(basename(staging)) ? name.slice(basename(staging).length) : undefined;
    const owner = suffix === '' ? ownerOf(staging) : Number(/^-(\d+)$/.exec(suffix ?? '')?.[1]);
    const ours = suffix === '' || Number.isInteger(owner);
    if (ours && !isRunning(owner)) rmSync(join(folder, name), { recursive: true, force: true });
  }
}

function ownerOf(staging: string): number {
  try {
    return Number(readFileSync(join(staging, 'pid'), 'utf8'));
  } catch {
    return Number.NaN;
  }
}

function isRunning(pid: number): boolean {
  if (!Number.isInteger(pid) || pid <= 0 || pid === process.pid) return false;
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
