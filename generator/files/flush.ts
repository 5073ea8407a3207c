import { closeSync, fsync, fsyncSync, openSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { forEachConcurrent } from '@passport-registry/verifier/core';
import { entriesBelow } from './walk.js';

/** How many files are flushed at a time. A disk writes together what waits together: one by one takes twenty times as long. */
const CONCURRENCY = 16;

/** Writes files to the disk. A file that is renamed without it can be empty after a loss of power. */
export function flushFiles(files: readonly string[]): Promise<void> {
  return syncAll(files, 'r+');
}

/** Writes the names in folders to the disk, as {@link flushFolder} does. */
export function flushFolders(folders: readonly string[]): Promise<void> {
  return syncAll(folders, 'r');
}

/** Writes the names in a folder to the disk, so that renames survive a loss of power. */
export function flushFolder(folder: string): void {
  const descriptor = openSync(folder, 'r');
  try {
    fsyncSync(descriptor);
  } finally {
    closeSync(descriptor);
  }
}

/** Writes all files below a folder to the disk, but for hard links to files that were written before. */
export async function flushTree(folder: string): Promise<void> {
  const entries = entriesBelow(folder).map(({ path, kind }) => ({ file: join(folder, path), kind }));
  const files = entries.filter(({ file, kind }) => kind === 'file' && statSync(file).nlink === 1);
  const folders = entries.filter(({ kind }) => kind === 'folder');
  await flushFiles(files.map(({ file }) => file));
  await flushFolders([folder, ...folders.map(({ file }) => file)]);
}

function toDisk(descriptor: number): Promise<void> {
  return new Promise((resolve, reject) => {
    fsync(descriptor, (error) => (error === null ? resolve() : reject(error)));
  });
}

async function syncAll(paths: readonly string[], mode: 'r' | 'r+'): Promise<void> {
  await forEachConcurrent(paths, CONCURRENCY, async (path) => {
    const descriptor = openSync(path, mode);
    try {
      await toDisk(descriptor);
    } finally {
      closeSync(descriptor);
    }
  });
}
