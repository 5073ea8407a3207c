import { lstatSync, statSync } from 'node:fs';
import { cacheFile, openCache, type RememberedTree } from './build-cache.js';
import { sha256 } from './checksums.js';
import { onThread } from './on-thread.js';
import { readIfThere } from './read-file.js';
import { walk } from './walk.js';

/** The paths at which a tree is not as it is remembered: changed, new, or gone. A folder's ends in a slash. */
export type TouchedPaths = ReadonlySet<string>;

/** A cache of this size, in bytes, is of so many files that to look at them is worth a thread. */
const WORTH_A_THREAD = 1_000_000;

/**
 * Looks at every file of a tree, and reads none that is as its cache remembers it. Where there are many, that happens on a thread of
 * its own.
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
  const found = tree && pathsOf(out);
  return found && differences(out, found, tree);
}

/** What is in a tree. */
interface FoundPaths {
  /** Sorted; that of a folder ends in a slash. */
  readonly paths: readonly string[];
  /** Those that are neither file nor folder. */
  readonly others: ReadonlySet<string>;
}

/** Undefined where the tree is gone, or cannot be read. */
function pathsOf(out: string): FoundPaths | undefined {
  const paths: string[] = [];
  const others = new Set<string>();
  try {
    walk(out, (path, kind) => {
      paths.push(kind === 'folder' ? `${path}/` : path);
      if (kind === 'link' || kind === 'other') others.add(path);
    });
    return { paths: paths.sort(), others };
  } catch {
    return undefined;
  }
}

function differences(out: string, { paths, others }: FoundPaths, tree: RememberedTree): Set<string> {
  const touched = new Set<string>(others);
  let row = 0;
  for (const path of paths) {
    for (let gone = tree.paths[row]; gone !== undefined && gone < path; gone = tree.paths[++row])
      touched.add(gone);
    const remembered = tree.paths[row] === path;
    if (!remembered || !isAsRemembered(out, path, tree, row)) touched.add(path);
    if (remembered) row++;
  }
  for (const gone of tree.paths.slice(row)) touched.add(gone);
  return touched;
}

function isAsRemembered(out: string, path: string, { stamps, recent }: RememberedTree, row: number): boolean {
  if (path.endsWith('/')) return true;
  const stats = lstatSync(`${out}/${path}`, { throwIfNoEntry: false });
  if (stats === undefined) return false;
  if (stamps.fits(row, stats)) return true;
  const digest = recent.get(path);
  const bytes = digest === undefined ? undefined : readIfThere(out, path);
  return bytes !== undefined && sha256(bytes) === digest;
}
