import { randomBytes } from 'node:crypto';
import {
  constants,
  copyFileSync,
  linkSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmdirSync,
  rmSync,
  type Stats,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IoFailed, UsageError } from '../../generator/errors.js';
import { foldersOf } from '../../generator/files/walk.js';

/** The bytes of files by path, with slashes. */
type Files = ReadonlyMap<string, Buffer>;

/**
 * Asserts that none of the files would replace or follow anything in a folder. A file with the same bytes is no
 * obstacle, so that a command that was killed can run again.
 *
 * @throws {@link UsageError} with the paths
 */
export function assertNoConflict(folder: string, files: Files): void {
  const notFolders = [...foldersOf(files.keys())]
    .map((path) => path.slice(0, -1))
    .filter((path) => statsOf(join(folder, path))?.isDirectory() === false);
  const others = [...files].filter(([path, bytes]) => {
    const stats = statsOf(join(folder, path));
    return stats !== undefined && !(stats.isFile() && readFileSync(join(folder, path)).equals(bytes));
  });
  const paths = [...notFolders, ...others.map(([path]) => path)];
  if (paths.length === 0) return;
  throw new UsageError(`${folder} has ${paths.join(', ')} already: choose an empty folder, or move them`);
}

/**
 * Writes files into a folder, which need not exist: all of them, or none. Nothing that exists is replaced, and no link
 * is followed.
 *
 * @throws {@link IoFailed}
 */
export function writeNewFiles(folder: string, files: Files): void {
  const exists = statsOf(folder) !== undefined;
  const suffix = randomBytes(8).toString('hex');
  const staging = exists
    ? join(folder, `.passport-registry-init.${suffix}`)
    : join(dirname(folder), `.${basename(folder)}.${suffix}`);
  try {
    mkdirSync(staging, { recursive: true });
    for (const path of foldersOf(files.keys())) mkdirSync(join(staging, path), { recursive: true });
    for (const [path, bytes] of files) writeFileSync(join(staging, path), bytes, { flag: 'wx' });
    if (exists) placeAll(staging, folder, files);
    else renameSync(staging, folder);
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  } finally {
    rmSync(staging, { recursive: true, force: true });
  }
}

/** Moves the staged files into an existing folder. If one of them fails, the others are removed again. */
function placeAll(staging: string, folder: string, files: Files): void {
  const undo: (() => void)[] = [];
  try {
    for (const path of [...foldersOf(files.keys())].sort()) {
      const made = join(folder, path);
      if (statsOf(made) !== undefined) continue;
      mkdirSync(made);
      undo.push(() => rmdirSync(made));
    }
    for (const [path, bytes] of files) {
      const placed = join(folder, path);
      if (statsOf(placed)?.isFile() && readFileSync(placed).equals(bytes)) continue;
      place(join(staging, path), placed);
      undo.push(() => rmSync(placed));
    }
  } catch (cause) {
    for (const step of undo.reverse()) step();
    throw cause;
  }
}

/** Puts a whole file at a path that does not exist. A rename would replace a file that was made in the meantime. */
function place(from: string, to: string): void {
  try {
    linkSync(from, to);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw cause;
    // The file system has no hard links.
    copyFileSync(from, to, constants.COPYFILE_EXCL);
  }
}

/** The kind of what is at a path, without following a link; undefined if nothing is there. */
function statsOf(path: string): Stats | undefined {
  try {
    return lstatSync(path);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
    throw new IoFailed(`${path} cannot be read: ${code}`, { cause });
  }
}
