import {
  chmodSync,
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { CHECKSUMS_PATH } from './checksums.js';
import { IoFailed } from './errors.js';
import { PATHS } from './paths.js';
import type { OnProgress } from './progress.js';
import type { Tree } from './tree.js';
import { filesBelow } from './tree-source.js';

/** What a publication did to the output folder. */
export interface Written {
  /** The paths that were written. */
  readonly written: readonly string[];
  /** How many files were as they should be. */
  readonly unchanged: number;
  /** How many did not belong. */
  readonly removed: number;
}

/**
 * Makes a folder hold exactly a tree. Files that already have the right bytes are not touched. All others are first
 * written beside the folder and then renamed into it; the signature and the list go one right after the other, the
 * checksums after all that they cover, so that a folder whose checksums hold is whole; and the checkpoint last. A folder
 * that is empty or not there gets its tree by one rename.
 *
 * @throws {@link IoFailed}
 */
export function writeTree(tree: Tree, out: string, staging: string, onProgress?: OnProgress): Written {
  try {
    return isEmpty(out) ? create(tree, out, staging, onProgress) : update(tree, out, staging, onProgress);
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    const reason =
      code === 'EXDEV'
        ? 'the folder beside it is on another file system, so nothing can be renamed'
        : message;
    throw new IoFailed(`${out} cannot be written: ${reason}`, { cause });
  }
}

function isEmpty(out: string): boolean {
  return !existsSync(out) || readdirSync(out).length === 0;
}

function create(tree: Tree, out: string, staging: string, onProgress?: OnProgress): Written {
  const whole = join(staging, 'tree');
  let done = 0;
  for (const [path, bytes] of tree) {
    onProgress?.('writing', done++, tree.size);
    makeFolder(dirname(join(whole, path)));
    writeFile(join(whole, path), bytes);
  }
  for (const path of FLUSHED) if (tree.has(path)) flush(join(whole, path));
  renameSync(whole, out);
  return { written: [...tree.keys()], unchanged: 0, removed: 0 };
}

/** The files that decide whether a tree is good, in the order in which they are switched. */
const FLUSHED: readonly string[] = [
  PATHS.signature,
  PATHS.list,
  PATHS.gzipped,
  PATHS.brotli,
  CHECKSUMS_PATH,
  PATHS.checkpoint,
];

function update(tree: Tree, out: string, staging: string, onProgress?: OnProgress): Written {
  clearTheWay(tree, out);
  const stale = filesBelow(out).filter((path) => !tree.has(path));
  const changed = [...tree].filter(([path, bytes]) => !holds(out, path, bytes));
  const staged = new Map(
    changed.map(([path, bytes], index) => {
      onProgress?.('writing', index, changed.length);
      return [path, stage(bytes, join(staging, String(index)))];
    }),
  );
  const moveIn = (path: string) => {
    const from = staged.get(path);
    if (from !== undefined) switchFile(from, out, path);
  };
  for (const path of FLUSHED) flush(staged.get(path));
  // Done before the switch, so that nothing slow comes between the renames.
  for (const path of staged.keys()) if (!FLUSHED.includes(path)) moveIn(path);
  moveIn(PATHS.signature);
  for (const path of [PATHS.list, PATHS.gzipped, PATHS.brotli]) moveIn(path);
  for (const path of stale) rmSync(join(out, path));
  removeEmptyFolders(out);
  moveIn(CHECKSUMS_PATH);
  // It names both the list and the checksums (SPEC B6).
  moveIn(PATHS.checkpoint);
  return {
    written: changed.map(([path]) => path),
    unchanged: tree.size - changed.length,
    removed: stale.length,
  };
}

/** Whether a folder has a file of exactly these bytes at a path. */
export function holds(out: string, path: string, bytes: Uint8Array): boolean {
  const file = join(out, path);
  const stats = statSync(file, { throwIfNoEntry: false });
  return stats !== undefined && stats.size === bytes.length && readFileSync(file).equals(bytes);
}

/** Writes a file beside the tree, from where it can be switched in. */
export function stage(bytes: Uint8Array, file: string): string {
  writeFile(file, bytes);
  return file;
}

function writeFile(file: string, bytes: Uint8Array): void {
  writeFileSync(file, bytes);
  // Whatever the umask: a web server and rsync run as other users.
  chmodSync(file, 0o644);
}

function flush(file: string | undefined): void {
  if (file === undefined) return;
  const descriptor = openSync(file, 'r+');
  fsyncSync(descriptor);
  closeSync(descriptor);
}

/** Puts a staged file in its place, by one rename. */
export function switchFile(from: string, out: string, path: string): void {
  const to = join(out, path);
  makeFolder(dirname(to));
  const old = statSync(to, { throwIfNoEntry: false });
  if (old !== undefined) {
    // rsync and many servers tell versions apart by size and whole seconds, and a signature never changes its size.
    const second = Math.max(Math.floor(Date.now() / 1000), Math.floor(old.mtimeMs / 1000) + 1);
    utimesSync(from, second, second);
  }
  renameSync(from, to);
}

/** Where the tree has a folder or a file, the other kind, or a link, does not belong. */
function clearTheWay(tree: Tree, out: string): void {
  const folders = new Set([...tree.keys()].flatMap(foldersAbove));
  for (const folder of folders) {
    if (lstatSync(join(out, folder), { throwIfNoEntry: false })?.isDirectory() === false)
      rmSync(join(out, folder));
  }
  for (const path of tree.keys()) {
    const stats = lstatSync(join(out, path), { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isFile()) rmSync(join(out, path), { recursive: true });
  }
}

function foldersAbove(path: string): string[] {
  const steps = path.split('/');
  return steps.slice(1).map((_step, index) => steps.slice(0, index + 1).join('/'));
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}

function removeEmptyFolders(folder: string): void {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    if (!entry.isDirectory()) continue;
    const inner = join(folder, entry.name);
    removeEmptyFolders(inner);
    if (readdirSync(inner).length === 0) rmdirSync(inner);
  }
}
