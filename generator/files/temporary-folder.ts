import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';

/**
 * Runs a function that needs a folder on the same file system as a path, and removes the folder at the end. The caller holds the
 * lock of the path.
 */
export async function withTemporaryFolder<T>(path: string, work: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(dirname(resolve(path)), `.${basename(resolve(path))}.new`);
  // What a killed process has left.
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder);
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
