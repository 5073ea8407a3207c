import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { LISTS_FOLDER } from '@passport-registry/verifier/core';
import { readIfReadable } from '../files/read-file.js';
import { updatedAtOf } from '../list/updated-at.js';
import { PATHS } from './paths.js';

/** How many lists before the newest one a tree has, whatever their sizes (rule lists). */
export const LISTS_BEFORE = 2;

/**
 * Returns the paths of the lists of a tree that are not kept permanently, newest first.
 *
 * @param current - the hash of the newest list, which is left out
 * @param keepBytes - the maximum size of lists that are kept permanently. 0: none is
 */
export function passingLists(folder: string, current: string, keepBytes: number): string[] {
  const paths = namesIn(join(folder, LISTS_FOLDER))
    .map((name) => `${LISTS_FOLDER}${name}`)
    .filter((path) => path !== PATHS.namedList(current) && sizeOf(join(folder, path)) > keepBytes);
  const dated = paths.map((path) => ({ path, updatedAt: updatedAtIn(folder, path) }));
  return dated.sort((a, b) => (a.updatedAt > b.updatedAt ? -1 : 1)).map(({ path }) => path);
}

function updatedAtIn(folder: string, path: string): string {
  const list = readIfReadable(folder, path);
  return (list && updatedAtOf(list)) ?? '';
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0;
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder);
  } catch {
    // The folder does not exist, or is not a folder.
    return [];
  }
}
