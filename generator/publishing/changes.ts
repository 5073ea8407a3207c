import { closeSync, constants, existsSync, openSync, readSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { isPublication } from '@passport-registry/verifier/core';
import { entriesBelow } from '../files/walk.js';
import { KEPT_LIST_BYTES } from '../log/log-choice.js';
import { newestEntries, readLogHead } from '../log/log-files.js';
import { LISTS_BEFORE, passingLists } from '../tree/named-lists.js';
import { PAST_FOLDERS, PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import type { CommittedTree } from './committed.js';

/** What a publication changes in the folder of a tree. */
export interface TreeChange {
  /** The files that are new or have other bytes. */
  readonly files: Tree;
  /** The paths of files and folders that are not part of the tree any more. */
  readonly removed: readonly string[];
}

/**
 * Returns what a new tree changes in the published one. What a waiting stage adds to the log and to the lists is a part of it.
 *
 * @param tree - all files of the new tree, but for the older files of its log, and older lists
 * @param passed - the paths of older files that have served their time
 */
export function changeOf(
  tree: Tree,
  { output: { out }, stage, newest }: CommittedTree,
  passed: readonly string[],
): TreeChange {
  // Another registry begins with its own past.
  const keepsPast = newest !== undefined;
  const below = existsSync(out)
    ? entriesBelow(out, (path) => !(keepsPast && PAST_FOLDERS.includes(`${path}/`)))
    : [];
  const present = new Set(below.flatMap(({ path, kind }) => (kind === 'folder' ? [] : [path])));
  const isSame = comparer();
  const mayBeThere = (path: string) => present.has(path) || isPast(path);
  const changed = [...tree].filter(([path, bytes]) => !(mayBeThere(path) && isSame(join(out, path), bytes)));
  const waiting = [...(stage?.files.keys() ?? [])].filter((path) => isPast(path) && !tree.has(path));
  const carried = waiting.flatMap((path): [string, Uint8Array][] => {
    const bytes = newest?.read(path);
    return bytes === undefined ? [] : [[path, bytes]];
  });
  return {
    files: new Map([...carried, ...changed]),
    removed: [...[...present].filter((path) => !tree.has(path)), ...passed],
  };
}

const isPast = (path: string) => PAST_FOLDERS.some((folder) => path.startsWith(folder));

/** Whether a change changes nothing. */
export const isEmptyChange = ({ files, removed }: TreeChange) => files.size === 0 && removed.length === 0;

/**
 * Returns a function that tells whether a file has exactly some bytes. A build compares tens of thousands of files, so all are
 * read into one buffer, and no further than the expected bytes.
 */
function comparer(): (file: string, bytes: Uint8Array) => boolean {
  let buffer = Buffer.allocUnsafeSlow(64 * 1024);
  return (file, bytes) => {
    if (bytes.length >= buffer.length) buffer = Buffer.allocUnsafeSlow(2 * bytes.length);
    let descriptor: number | undefined;
    try {
      // Without O_NONBLOCK, opening a named pipe would block.
      descriptor = openSync(file, constants.O_RDONLY | constants.O_NONBLOCK);
      const length = readSync(descriptor, buffer, 0, bytes.length + 1, 0);
      return length === bytes.length && buffer.compare(bytes, 0, length, 0, length) === 0;
    } catch {
      return false;
    } finally {
      if (descriptor !== undefined) closeSync(descriptor);
    }
  };
}

/** How many entries of the log to look at for lists that have served their time. Each publication looks. */
const RECENT_ENTRIES = 16;

/**
 * Returns the paths of older lists that a publication removes (rule lists). The two lists before the new one stay. With a log, lists
 * up to the size that the operator keeps stay, too.
 *
 * @param current - the hash of the new list
 */
export function listsToRemove(
  { newest, output: { out } }: CommittedTree,
  current: string,
  keepBytes = KEPT_LIST_BYTES,
): string[] {
  if (newest === undefined) return [];
  const isLogged = newest.statement.log !== undefined;
  if (!isLogged) return passingLists(out, current, 0).slice(LISTS_BEFORE);
  const before = [...new Set(loggedLists(newest))].filter((hash) => hash !== current);
  const sizeOf = (path: string) => statSync(join(out, path), { throwIfNoEntry: false })?.size ?? 0;
  return before
    .slice(LISTS_BEFORE)
    .map(PATHS.namedList)
    .filter((path) => sizeOf(path) > keepBytes);
}

/** Returns the hashes of the lists of the newest publications in the log, newest first. */
function loggedLists({ read }: PublishedTree): string[] {
  const head = readLogHead(read);
  const hashes: string[] = [];
  let left = RECENT_ENTRIES;
  for (const indexed of newestEntries(read, head?.size ?? 0)) {
    if (isPublication(indexed)) hashes.push(indexed.entry.list);
    if (--left === 0) break;
  }
  return hashes;
}
