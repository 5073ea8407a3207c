import {
  chmodSync,
  closeSync,
  constants,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { LISTS_FOLDER } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../errors.js';
import { flushFiles, flushFolder, flushFolders } from '../files/flush.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { type Entry, entriesBelow, foldersOf } from '../files/walk.js';
import { LOG_FOLDER } from '../log/log-files.js';
import type { OnProgress } from '../progress.js';
import { roleOf } from '../tree/files.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';

/** The changes that a publication made to the output folder. */
export interface Written {
  /** The paths of the written files. */
  readonly written: readonly string[];
  /** The number of files that already had the right content. */
  readonly unchanged: number;
  /** The paths of the files that were removed. */
  readonly removed: readonly string[];
}

/**
 * Makes the content of a folder exactly that of a tree, but for older lists. Files that already have the right bytes are not
 * touched. All others are first written next to the folder, flushed, and then renamed into it: SHA256SUMS after all files that
 * it lists, and statements.json last, by which the publication becomes visible. Only then are other files removed. If the
 * folder is empty or does not exist, one rename creates the whole tree.
 *
 * @throws {@link IoFailed}
 */
export async function writeTree(tree: Tree, output: OutputFolder, onProgress?: OnProgress): Promise<Written> {
  if (isEmpty(output.out)) return createTree(tree, output, onProgress);
  return writing(output.out, () => updateTree(tree, output, onProgress));
}

/** Runs what writes to a folder. @throws {@link IoFailed} */
async function writing<T>(out: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (cause) {
    throw notWritten(out, cause);
  }
}

function notWritten(out: string, cause: unknown): IoFailed {
  if (cause instanceof IoFailed) return cause;
  const { code, message } = cause as NodeJS.ErrnoException;
  const reason =
    code === 'EXDEV'
      ? 'the folder next to it is on another file system, so files cannot be renamed'
      : message;
  return new IoFailed(`${out} cannot be written: ${reason}`, { cause });
}

/** Removes a file or a folder of a tree, if it is there. @throws {@link IoFailed} */
export function removeFromTree(out: string, path: string): void {
  try {
    rmSync(join(out, path), { recursive: true, force: true });
  } catch (cause) {
    throw notWritten(out, cause);
  }
}

function isEmpty(out: string): boolean {
  return !existsSync(out) || readdirSync(out).length === 0;
}

/** Writes a whole tree next to a folder, which one rename replaces: unless all succeeds, it stays as it was. @throws {@link IoFailed} */
export function createTree(
  tree: Tree,
  { out, staging }: OutputFolder,
  onProgress?: OnProgress,
): Promise<Written> {
  return writing(out, async () => {
    const newTree = join(staging, 'tree');
    let done = 0;
    makeFolder(newTree);
    for (const folder of foldersOf(tree.keys())) makeFolder(join(newTree, folder));
    for (const [path, bytes] of tree) {
      onProgress?.('writing', done++, tree.size);
      writeFile(`${newTree}/${path}`, bytes);
    }
    const isNew = isEmpty(out);
    const lasting = [...tree.keys()].filter((path) => !(isNew && isRecord(path)));
    await flushFiles(lasting.map((path) => join(newTree, path)));
    await flushFoldersOf(tree.keys(), newTree);
    replaceFolder(newTree, { out, replaced: isNew ? undefined : join(staging, 'replaced') });
    flushFolder(dirname(out));
    return { written: [...tree.keys()], unchanged: 0, removed: [] };
  });
}

/** Renames a folder into the place of another one, which is put back if that fails. */
function replaceFolder(
  from: string,
  { out, replaced }: { readonly out: string; readonly replaced: string | undefined },
): void {
  if (replaced !== undefined) renameSync(out, replaced);
  try {
    renameSync(from, out);
  } catch (cause) {
    if (replaced !== undefined) renameSync(replaced, out);
    throw cause;
  }
}

async function updateTree(
  tree: Tree,
  { out, staging }: OutputFolder,
  onProgress?: OnProgress,
): Promise<Written> {
  const folders = foldersOf(tree.keys());
  // The tree has only the newest files of its log. The log itself is never removed, unless another registry begins. It
  // grows with every publication, so it is not even listed.
  const keepsLog = tree.has(PATHS.logHead);
  const below = entriesBelow(out, (path) => !(keepsLog && isLogFile(path)));
  const entries = clearTheWay(out, below, { tree, folders });
  const stale = entries.filter(
    ({ path, kind }) => kind !== 'folder' && !tree.has(path) && !isNamedList(path),
  );
  const emptied = entries.filter(({ path, kind }) => kind === 'folder' && !folders.has(`${path}/`));
  const present = new Set(entries.map(({ path }) => path));
  const isSame = comparer();
  // Of the log, which is not listed, any file may be there.
  const mayBeThere = (path: string) => present.has(path) || isLogFile(path);
  const changed = [...tree].filter(([path, bytes]) => !(mayBeThere(path) && isSame(`${out}/${path}`, bytes)));
  const staged = await stage(changed, staging, onProgress);
  const moveIn = (path: string) => {
    const from = staged.get(path);
    if (from !== undefined) switchFile(from, out, path);
  };
  const paths = [...staged.keys()];
  // As late as possible, because a client that reads the old publication statement refuses the new sums. Then what part A of a
  // reader needs, and last the statements: until they are there, nothing new is published.
  // After a kill before about.json is renamed, it says since when the issuers of the old list are suspended.
  const last = [
    ...paths.filter((path) => path.startsWith('sums/')).reverse(),
    ...[PATHS.signature, PATHS.list, PATHS.about, PATHS.checksums, PATHS.statements],
  ];
  const late = new Set(last);
  for (const path of paths) if (!late.has(path)) moveIn(path);
  for (const path of last) moveIn(path);
  for (const { path } of [...stale, ...emptied]) removeFromTree(out, path);
  await flushFoldersOf(staged.keys(), out);
  return {
    written: changed.map(([path]) => path),
    unchanged: tree.size - changed.length,
    removed: stale.map(({ path }) => path),
  };
}

/**
 * Whether a file is the record of an issuer, which each build makes again. In a new tree nobody has asked for it yet, so a first build does not wait until the disk has each of them. That took longer than all else with 10,000 records.
 */
const isRecord = (path: string) => path.startsWith('issuers/');

/** Older lists are not in a new tree. `removeOldLists` removes those that have served their time. */
const isNamedList = (path: string) => path.startsWith(LISTS_FOLDER) && roleOf(path) === 'known';

const isLogFile = (path: string) => `${path}/`.startsWith(LOG_FOLDER);

/**
 * Adds files to a folder, one after the other in the order of the map, and changes no others. The last file is renamed
 * after all others are on the disk.
 *
 * @throws {@link IoFailed}
 */
export async function addFiles(files: Tree, output: OutputFolder): Promise<Written> {
  const { out, staging } = output;
  if (isEmpty(out) && files.size > 0) return createTree(files, output);
  return writing(out, async () => {
    const changed = [...files].filter(([path, bytes]) => !holds(out, path, bytes));
    for (const [path, file] of await stage(changed, staging)) switchFile(file, out, path);
    const written = changed.map(([path]) => path);
    await flushFoldersOf(written, out);
    return { written, unchanged: files.size - changed.length, removed: [] };
  });
}

/** Lets renames survive a loss of power. A witness may have seen a head that would otherwise be lost. */
function flushFoldersOf(paths: Iterable<string>, out: string): Promise<void> {
  return flushFolders(['', ...foldersOf(paths)].map((folder) => join(out, folder)));
}

/** Whether a folder has a file with exactly these bytes at a path. */
export function holds(out: string, path: string, bytes: Uint8Array): boolean {
  return readIfReadable(out, path)?.equals(bytes) === true;
}

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

/** Writes files to the disk next to the tree, so that `switchFile` can rename them into it. Returns where each of them is. */
async function stage(
  files: readonly (readonly [path: string, bytes: Uint8Array])[],
  staging: string,
  onProgress?: OnProgress,
): Promise<ReadonlyMap<string, string>> {
  const staged = new Map<string, string>();
  for (const [path, bytes] of files) {
    onProgress?.('writing', staged.size, files.length);
    const file = join(staging, String(staged.size));
    writeFile(file, bytes);
    staged.set(path, file);
  }
  await flushFiles([...staged.values()]);
  return staged;
}

function writeFile(file: string, bytes: Uint8Array): void {
  const descriptor = openSync(file, 'w');
  try {
    writeFileSync(descriptor, bytes);
    // Independent of the umask, because web servers and rsync run as other users.
    fchmodSync(descriptor, 0o644);
  } finally {
    closeSync(descriptor);
  }
}

/** Renames a staged file to its place in the tree. */
function switchFile(from: string, out: string, path: string): void {
  const to = join(out, path);
  makeFolder(dirname(to));
  const old = statSync(to, { throwIfNoEntry: false });
  if (old !== undefined) {
    // rsync and many servers compare only the size and the time in whole seconds, and signatures always have the same
    // size.
    const second = Math.max(Math.floor(Date.now() / 1000), Math.floor(old.mtimeMs / 1000) + 1);
    utimesSync(from, second, second);
  }
  renameSync(from, to);
}

/**
 * Removes entries that are in the way of the tree: files and links in the place of folders, and folders and links in
 * the place of files.
 *
 * @returns the remaining entries
 */
function clearTheWay(
  out: string,
  entries: readonly Entry[],
  { tree, folders }: { readonly tree: Tree; readonly folders: ReadonlySet<string> },
): readonly Entry[] {
  const inTheWay = entries.filter(({ path, kind }) =>
    kind === 'folder' ? tree.has(path) : folders.has(`${path}/`) || (kind !== 'file' && tree.has(path)),
  );
  for (const { path } of inTheWay) removeFromTree(out, path);
  const isGone = (path: string) =>
    inTheWay.some((gone) => path === gone.path || path.startsWith(`${gone.path}/`));
  return inTheWay.length === 0 ? entries : entries.filter(({ path }) => !isGone(path));
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}

/**
 * Reads the written files back, and asserts that their bytes are those that were verified in memory.
 *
 * @param written - the paths of the written files; `writeTree` has compared the other files
 * @throws {@link TreeRejected}
 */
export function assertWritten(tree: Tree, written: readonly string[], out: string): void {
  const problems = written.filter((path) => !holds(out, path, tree.get(path) ?? new Uint8Array()));
  if (problems.length === 0) return;
  throw new TreeRejected(`${out} does not contain what was written: ${problems.slice(0, 5).join(', ')}`);
}
