import { createHash } from 'node:crypto';
import {
  chmodSync,
  closeSync,
  existsSync,
  fchmodSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmdirSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { isObject, LISTS_FOLDER, parseStrictJson, statementHash } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../errors.js';
import { flushFiles, flushFolder, flushFolders } from '../files/flush.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { foldersOf } from '../files/walk.js';
import { LOG_FOLDER, type ReadFileSync } from '../log/log-files.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { statementsIn } from '../tree/statements-file.js';
import type { Tree } from '../tree/tree.js';

/*
 * A tree changes by a journal: stage, commit, apply. The changed files are written to a folder beside the tree, and flushed. The
 * manifest commits them, by one rename. Applying moves each file into the tree. A process that is killed leaves the tree as it was,
 * or a committed stage, which the next command completes. Nothing else ever changes a file of a tree, but for statements.json and
 * the head of the log, which `replaceFiles` replaces one by one.
 */

/** A committed change of a tree. */
export interface Stage {
  /** The hash of the publication of the tree over which it was staged; undefined if there was none. */
  readonly over: string | undefined;
  /** SHA-256 of the files that are new or replaced, by path. */
  readonly files: ReadonlyMap<string, string>;
  /** The paths of the files that are removed. */
  readonly removed: readonly string[];
}

/** A change of a tree that is not committed yet. */
export interface Change extends Pick<Stage, 'over' | 'removed'> {
  /** The files that are new or replaced. */
  readonly files: Tree;
}

/** The file that commits a stage. */
const MANIFEST = 'manifest.json';

/** The file in the stage for the bytes of a path. Two paths with the same bytes have two files, because each is renamed. */
function stagedFile({ stage }: OutputFolder, path: string, hash: string): string {
  return join(stage, createHash('sha256').update(`${path}\n${hash}`).digest('hex'));
}

/**
 * Stages and commits a change. A stage that waits is replaced by it: by one rename, so that there is always one of the two.
 *
 * @throws {@link IoFailed} if the files cannot be written. The tree, and a stage that waits, are left as they were
 */
export async function commit(output: OutputFolder, { over, files, removed }: Change): Promise<Stage> {
  const { stage: folder } = output;
  const staged = await amend(output, { over, files: new Map(), removed }, files);
  const kept = new Set([...staged.files].map(([path, hash]) => basename(stagedFile(output, path, hash))));
  for (const name of readdirSync(folder))
    if (!kept.has(name) && name !== MANIFEST) rmSync(join(folder, name), { recursive: true });
  return staged;
}

/** Adds files to a stage, or replaces some of its files, and commits it again. @throws {@link IoFailed} as {@link commit} */
export async function amend(output: OutputFolder, staged: Stage, added: Tree): Promise<Stage> {
  const { stage: folder } = output;
  const hashes = [...added].map(([path, bytes]) => [path, sha256(bytes)] as const);
  const next: Stage = { ...staged, files: new Map([...staged.files, ...hashes]) };
  await changing(folder, async () => {
    makeFolder(folder);
    const files = hashes.map(([path, hash]) => {
      const file = stagedFile(output, path, hash);
      const bytes = added.get(path) as Uint8Array;
      // A stage that waits may have it. That stage counts until it is replaced, so its files are not written again.
      if (readIfReadable(folder, basename(file))?.equals(bytes) !== true) writeFile(file, bytes);
      return file;
    });
    const manifest = join(folder, `${MANIFEST}.new`);
    writeFile(manifest, Buffer.from(JSON.stringify(formatStage(next))));
    await flushFiles([...files, manifest]);
    flushFolder(folder);
    output.assertHeld();
    renameSync(manifest, join(folder, MANIFEST));
    flushFolder(folder);
    flushFolder(dirname(folder));
  });
  return next;
}

/**
 * Reads the committed stage of a tree, and removes what was never committed. Undefined if there is none.
 *
 * @throws {@link TreeRejected} if the stage is damaged, or belongs to another tree
 */
export function recoverStage(output: OutputFolder): Stage | undefined {
  const { out, stage: folder, named } = output;
  if (!existsSync(folder)) return undefined;
  const bytes = readIfReadable(folder, MANIFEST);
  if (bytes === undefined) {
    rmSync(folder, { recursive: true, force: true });
    return undefined;
  }
  const remedy = `move ${folder} aside, and run \`load\``;
  const staged = parseStage(bytes);
  if (staged === undefined) throw new TreeRejected(`${join(folder, MANIFEST)} is damaged: ${remedy}`);
  const read = readerOver(output, staged);
  const damaged = [...staged.files].find(([path, hash]) => {
    const found = read(path);
    return found === undefined || sha256(found) !== hash;
  });
  const published = publicationOf((path) => readIfReadable(out, path));
  if (published !== staged.over && published !== publicationOf(read))
    throw new TreeRejected(
      `${folder} belongs to another tree than ${named}, such as an older copy: ${remedy}`,
    );
  if (damaged !== undefined) throw new TreeRejected(`${folder} has no whole ${damaged[0]}: ${remedy}`);
  return staged;
}

/** Whether a committed stage follows a publication, so that it can be applied over its tree. */
export function stageFollows({ stage }: OutputFolder, publication: string | undefined): boolean {
  const bytes = readIfReadable(stage, MANIFEST);
  return bytes !== undefined && publication !== undefined && parseStage(bytes)?.over === publication;
}

/** Whether a stage has begun to be applied. */
export function isBegun(output: OutputFolder, { files }: Stage): boolean {
  return [...files].some(([path, hash]) => !existsSync(stagedFile(output, path, hash)));
}

/** Reads a tree as it is when a stage has been applied. */
export function readerOver(output: OutputFolder, staged: Stage | undefined): ReadFileSync {
  const { out, stage } = output;
  if (staged === undefined) return (path) => readIfReadable(out, path);
  const removed = new Set(staged.removed);
  return (path) => {
    const hash = staged.files.get(path);
    if (hash === undefined) return removed.has(path) ? undefined : readIfReadable(out, path);
    // If it was applied already, it is in the tree.
    return readIfReadable(stage, basename(stagedFile(output, path, hash))) ?? readIfReadable(out, path);
  };
}

/**
 * Applies a committed stage, and removes it. The order lets readers of the old tree, and of the new one, load a whole list at any
 * moment (rule write-order).
 *
 * @returns the paths of the files that were moved, in order
 * @throws {@link IoFailed} if a file cannot be moved. The stage stays, and the next command goes on
 */
export async function apply(output: OutputFolder, staged: Stage): Promise<readonly string[]> {
  const { out, stage } = output;
  const paths = [...staged.files.keys()].sort((a, b) => placeOf(a) - placeOf(b));
  await changing(out, async () => {
    output.assertHeld();
    for (const path of paths) {
      const file = stagedFile(output, path, staged.files.get(path) as string);
      if (existsSync(file)) await moveInto(file, out, path);
    }
    for (const path of staged.removed) removeFile(out, path);
    const folders = ['', ...foldersOf(paths)].map((folder) => join(out, folder));
    await flushFolders(folders.filter((folder) => existsSync(folder)));
    flushFolder(dirname(out));
    rmSync(stage, { recursive: true, force: true });
  });
  return paths;
}

/** When a file is moved: what never changes first, what makes the publication visible last. */
function placeOf(path: string): number {
  if (path.startsWith(LISTS_FOLDER)) return 0;
  if (path.startsWith(LOG_FOLDER) && path !== PATHS.logHead) return 0;
  if (path.startsWith('sums/')) return path === 'sums/root' ? 3 : 2;
  const last: readonly string[] = [
    PATHS.signature,
    PATHS.list,
    PATHS.about,
    PATHS.checksums,
    PATHS.logHead,
    PATHS.statements,
  ];
  const at = last.indexOf(path);
  return at === -1 ? 1 : 4 + at;
}

/**
 * Replaces files of a tree, one after the other in the order of the map. For those that one rename publishes: statements.json, and
 * before it the head of the log with more cosignatures.
 *
 * @throws {@link IoFailed}
 */
export async function replaceFiles(output: OutputFolder, files: Tree): Promise<void> {
  const { out } = output;
  await changing(out, async () => {
    for (const [path, bytes] of files) {
      if (readIfReadable(out, path)?.equals(bytes) === true) continue;
      const file = `${output.stage}.file`;
      writeFile(file, bytes);
      await flushFiles([file]);
      output.assertHeld();
      await moveInto(file, out, path);
      flushFolder(dirname(join(out, path)));
    }
  });
}

function formatStage({ over, files, removed }: Stage): object {
  return { over: over ?? null, files: Object.fromEntries(files), removed };
}

/** Parses a manifest. Undefined if it is not one that this program writes: its paths must not lead out of the tree. */
function parseStage(bytes: Uint8Array): Stage | undefined {
  let parsed: unknown;
  try {
    parsed = parseStrictJson(bytes);
  } catch {
    return undefined;
  }
  if (!isObject(parsed)) return undefined;
  const { over, files, removed } = parsed;
  const isHash = (value: unknown): value is string =>
    typeof value === 'string' && /^[0-9a-f]{64}$/.test(value);
  if (!(over === null || isHash(over)) || !isObject(files) || !Array.isArray(removed)) return undefined;
  const hashes = Object.entries(files).flatMap(([path, hash]): [string, string][] =>
    isHash(hash) ? [[path, hash]] : [],
  );
  const paths: unknown[] = [...Object.keys(files), ...removed];
  if (hashes.length < Object.keys(files).length || !paths.every(isTreePath)) return undefined;
  return { over: over ?? undefined, files: new Map(hashes), removed };
}

const isTreePath = (path: unknown): path is string =>
  typeof path === 'string' && path.split('/').every((part) => !['', '.', '..'].includes(part));

/** Returns the hash of the publication that a tree shows. Nothing is verified. */
export function publicationOf(read: ReadFileSync): string | undefined {
  const statements = statementsIn(read);
  return statements && statementHash(statements.publication);
}

/** Runs what changes files. @throws {@link IoFailed} */
async function changing(folder: string, work: () => Promise<void>): Promise<void> {
  try {
    await work();
  } catch (cause) {
    if (cause instanceof IoFailed) throw cause;
    throw new IoFailed(`${folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
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

/** How often to repeat a rename that an open file blocks, and the pause between, in milliseconds. */
const RENAMES = 20;
const RENAME_PAUSE_MS = 100;

/** Moves a staged file to its place in the tree. */
async function moveInto(from: string, out: string, path: string): Promise<void> {
  const to = join(out, path);
  makeFolder(dirname(to));
  const old = statSync(to, { throwIfNoEntry: false });
  if (old !== undefined) {
    // rsync and many servers compare only the size and the time in whole seconds, and signatures always have the same
    // size.
    const second = Math.max(Math.floor(Date.now() / 1000), Math.floor(old.mtimeMs / 1000) + 1);
    utimesSync(from, second, second);
  }
  for (let left = RENAMES; ; left--) {
    try {
      renameSync(from, to);
      return;
    } catch (cause) {
      const { code = '' } = cause as NodeJS.ErrnoException;
      if (left === 0 || !['EACCES', 'EBUSY', 'EPERM'].includes(code)) throw cause;
      await setTimeout(RENAME_PAUSE_MS);
    }
  }
}

/** Removes a file of a tree, and the folders that are empty then. */
function removeFile(out: string, path: string): void {
  rmSync(join(out, path), { recursive: true, force: true });
  for (let folder = dirname(path); folder !== '.'; folder = dirname(folder)) {
    const found = join(out, folder);
    if (existsSync(found) && readdirSync(found).length > 0) return;
    if (existsSync(found)) rmdirSync(found);
  }
}

function makeFolder(folder: string): void {
  if (existsSync(folder)) return;
  makeFolder(dirname(folder));
  mkdirSync(folder);
  chmodSync(folder, 0o755);
}
