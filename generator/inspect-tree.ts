import { lstatSync, statSync } from 'node:fs';
import { cacheFile, openCache, type RememberedTree } from './build-cache.js';
import { onThread } from './on-thread.js';
import { placesAmong } from './places-among.js';
import type { Stamps } from './stamps.js';
import { walk } from './walk.js';

/** The paths at which a tree is not as it is remembered: changed, new, or gone. A folder's ends in a slash. */
export type TouchedPaths = ReadonlySet<string>;

/** A cache of this size, in bytes, is of so many files that to look at them is worth a thread. */
const WORTH_A_THREAD = 1_000_000;

/**
 * Looks at every file of a tree, and reads none. Where there are many, that happens on a thread of its own.
 *
 * @param about - what the cache must be about
 * @returns undefined when there is no cache of use
 */
export async function touchedPaths(out: string, about: string): Promise<TouchedPaths | undefined> {
  const size = statSync(cacheFile(out), { throwIfNoEntry: false })?.size ?? 0;
  if (size < WORTH_A_THREAD) return inspectTree(out, about);
  return onThread({ module: import.meta.url, name: inspectTree.name, args: [out, about] });
}

/** What `touchedPaths` does, on this thread. */
export function inspectTree(out: string, about: string): TouchedPaths | undefined {
  const tree = openCache(cacheFile(out), about)?.tree;
  const paths = tree && pathsOf(out);
  return paths && differences(out, paths, tree);
}

/** Everything in a tree, sorted; undefined where it is gone, or cannot be read. */
function pathsOf(out: string): string[] | undefined {
  const paths: string[] = [];
  try {
    walk(out, (path, kind) => paths.push(kind === 'folder' ? `${path}/` : path));
    return paths.sort();
  } catch {
    return undefined;
  }
}

function differences(out: string, paths: readonly string[], tree: RememberedTree): Set<string> {
  const rows = placesAmong(paths, tree.paths);
  const touched = new Set<string>();
  let known = 0;
  for (const [index, path] of paths.entries()) {
    const row = rows[index] as number;
    if (row !== -1) known++;
    if (row === -1 || !isAsRemembered(out, path, tree.stamps, row)) touched.add(path);
  }
  // None is gone.
  if (known === tree.paths.length) return touched;
  const found = placesAmong(tree.paths, paths);
  for (const [index, path] of tree.paths.entries()) if (found[index] === -1) touched.add(path);
  return touched;
}

function isAsRemembered(out: string, path: string, stamps: Stamps, row: number): boolean {
  if (path.endsWith('/')) return true;
  const stats = lstatSync(`${out}/${path}`, { throwIfNoEntry: false });
  return stats?.isFile() === true && stamps.fits(row, stats);
}
