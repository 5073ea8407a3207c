import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { inject } from 'vitest';
import { until } from './until.js';
import { temporaryFolder } from './workspace.js';

/**
 * Returns a folder that takes long to make, such as the folder of a ceremony. The first test file of a run that needs it
 * makes it. Nobody changes it; {@link copyOf} gives a test its own.
 */
export async function madeOnce(name: string, make: (folder: string) => Promise<void>): Promise<string> {
  const folder = join(inject('runFolder'), name);
  const making = `${folder}.making`;
  await until(() => existsSync(folder) || isFirst(making));
  if (existsSync(folder)) return folder;
  try {
    const made = join(making, 'made');
    mkdirSync(made);
    await make(made);
    renameSync(made, folder);
  } finally {
    rmSync(making, { recursive: true });
  }
  return folder;
}

/** Creates a folder. Returns whether it did not exist. */
function isFirst(folder: string): boolean {
  try {
    mkdirSync(folder);
    return true;
  } catch {
    return false;
  }
}

/** Copies a folder. The copy is deleted after the tests of the file. */
export function copyOf(folder: string): string {
  const copy = temporaryFolder();
  cpSync(folder, copy, { recursive: true, verbatimSymlinks: true });
  return copy;
}
