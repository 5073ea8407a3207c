import { forEachConcurrent } from '../bytes/for-each-concurrent.js';
import type { HeldTree, TreeChange } from '../sums/held-tree.js';
import { type NamedSums, readSums } from '../sums/sums-file.js';
import { prefixOf, sumsPath } from '../sums/sums-place.js';
import { type RegistryFiles, readHashedFile } from './registry-files.js';

/** How many files to request from a source at the same time. */
export const MAX_REQUESTS = 16;

/** What a request costs besides the body, in bytes: about the size of the headers. */
export const REQUEST_BYTES = 1024;

/** The difference between the tree of sums of a held list and a newer one. */
export interface TreeDifference {
  readonly treeChange: TreeChange;
  /** SHA-256 of the records that were added or changed, by path. */
  readonly changed: ReadonlyMap<string, string>;
  /** The paths of the records that were removed. */
  readonly removed: readonly string[];
  /** What was downloaded, in bytes. */
  readonly downloaded: number;
}

/**
 * Compares the tree of sums of the held list with the tree of a source. Descends only where hashes differ
 * (rule sums-updates).
 *
 * @param tree - has the same number of levels
 * @param maxBytes - about how much to download at most
 * @returns undefined if the difference needs more
 */
export async function readTreeDifference(
  files: RegistryFiles,
  { tree, named, maxBytes }: { tree: HeldTree; named: NamedSums; maxBytes: number },
): Promise<TreeDifference | undefined> {
  const { levels } = tree;
  const newFiles = new Map<string, Uint8Array>();
  const changed = new Map<string, string>();
  const removed: string[] = [];
  const removedBranches: string[] = [];
  let downloaded = 0;
  let level: [prefix: string, sha256: string][] =
    named.sumsSha256 === tree.sha256 ? [] : [['', named.sumsSha256]];
  while (level.length > 0) {
    const expected = level.reduce((size, [prefix]) => size + tree.size(prefix) + REQUEST_BYTES, 0);
    if (downloaded + expected > maxBytes) return undefined;
    const below: typeof level = [];
    await forEachConcurrent(level, MAX_REQUESTS, async ([prefix, sha256]) => {
      const bytes = await readHashedFile(files, sumsPath(prefix), sha256);
      const sums = readSums(bytes, { prefix, levels });
      const held = tree.sums(prefix);
      const isLeaf = prefix.length === levels;
      downloaded += bytes.length + REQUEST_BYTES;
      newFiles.set(prefix, bytes);
      for (const [path, hash] of sums) {
        if (held.get(path) === hash) continue;
        if (isLeaf) changed.set(path, hash);
        else below.push([prefixOf(path), hash]);
      }
      for (const path of held.keys()) {
        if (sums.has(path)) continue;
        if (isLeaf) removed.push(path);
        else removedBranches.push(prefixOf(path));
      }
    });
    level = below;
  }
  for (const prefix of removedBranches) {
    for (const [path] of tree.recordsBelow(prefix)) removed.push(path);
  }
  const treeChange = { sha256: named.sumsSha256, files: newFiles, removed: removedBranches };
  return { treeChange, changed, removed, downloaded };
}
