import { closeSync, fsyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { entriesBelow } from './walk.js';

/** Writes a file to the disk. A file that is renamed without it can be empty after a loss of power. */
export function flush(file: string): void {
  sync(file, 'r+');
}

/** Writes the names in a folder to the disk, so that renames survive a loss of power. */
export function flushFolder(folder: string): void {
  sync(folder, 'r');
}

/** Writes all files below a folder to the disk, but for hard links to files that were written before. */
export function flushTree(folder: string): void {
  flushFolder(folder);
  for (const { path, kind } of entriesBelow(folder)) {
    const file = join(folder, path);
    if (kind === 'folder') flushFolder(file);
    else if (kind === 'file' && statSync(file).nlink === 1) flush(file);
  }
}

function sync(path: string, mode: 'r' | 'r+'): void {
  const descriptor = openSync(path, mode);
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}
