import { isUtf8 } from 'node:buffer';
import {
  closeSync,
  constants,
  fstatSync,
  lstatSync,
  openSync,
  readSync,
  realpathSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Diagnostic, diagnostic, type Finding } from '../diagnostics/diagnostic.js';
import { type Range, WHOLE_FILE } from '../diagnostics/range.js';
import { MAX_RECORD_BYTES } from '../diagnostics/rules.js';
import { IoFailed, UsageError } from '../errors.js';
import { type Entry, walk } from '../files/walk.js';
import { isCandidate, isVisible, RECORD_NAME, unsafePath } from './record-name.js';
import type { RecordFile } from './yaml/record-file.js';

/** What a folder holds: the files that could be read, and what is wrong with the others. */
export interface Collected {
  readonly files: readonly RecordFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** How many files there are, readable or not. */
  readonly found: number;
}

/** Record files that have been found, and not yet read. */
export interface FoundFiles {
  /** Their paths, as the user would name them, sorted. */
  readonly files: readonly string[];
  /** Of those that are symbolic links, the folder that the link must not leave. */
  readonly links: ReadonlyMap<string, string>;
  /** Those that their folder lists as regular files. */
  readonly regular: ReadonlySet<string>;
}

/**
 * Finds the record files of some files and folders. Dot-files are left out.
 *
 * @throws {@link UsageError} when a path does not exist, or is a link to a folder: a change could lead it anywhere
 */
export function findRecordFiles(paths: readonly string[]): FoundFiles {
  const found: string[] = [];
  const links = new Map<string, string>();
  const regular = new Set<string>();
  for (const path of paths) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new UsageError(`${path} does not exist`);
    if (isFolder(path)) {
      if (stats.isSymbolicLink()) {
        throw new UsageError(
          `${path} is a symbolic link: if you mean the folder that it points to, name that folder`,
        );
      }
      findBelow(path, { found, links, regular });
    } else {
      found.push(path);
      if (stats.isSymbolicLink()) links.set(path, dirname(path));
    }
  }
  return { files: (paths.length === 1 ? found : [...new Set(found)]).sort(), links, regular };
}

interface Finds {
  readonly found: string[];
  readonly links: Map<string, string>;
  readonly regular: Set<string>;
}

/** Links are listed and never followed: what lies behind one must not go unseen. */
function findBelow(folder: string, { found, links, regular }: Finds): void {
  const start = join(folder, 'x').slice(0, -1);
  const onEntry = (path: string, kind: Entry['kind']) => {
    if (kind === 'folder' || (kind !== 'link' && !isCandidate(path))) return;
    const file = `${start}${path}`;
    if (kind === 'link' && !linkMatters(folder, file)) return;
    found.push(file);
    if (kind === 'link') links.set(file, folder);
    if (kind === 'file') regular.add(file);
  };
  try {
    walk(folder, onEntry, isVisible);
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Finds and reads the record files of some files and folders, in the order of their names.
 *
 * @throws {@link UsageError} when a path does not exist
 */
export function collectRecordFiles(paths: readonly string[]): Collected {
  const { files, links, regular } = findRecordFiles(paths);
  if (files.length === 0) return { files: [], diagnostics: [noRecords(paths)], found: 0 };
  return separateDiagnostics(files.map((file) => readRecord(file, links.get(file), regular.has(file))));
}

/** What there is to say where no record has been found. */
function noRecords(paths: readonly string[]): Diagnostic {
  const message = `there is no record in ${paths.join(', ')}`;
  return diagnostic(paths[0] ?? '', WHOLE_FILE, { rule: 'no-records', message });
}

/** Files that could be read, and what is wrong with the others. */
export function separateDiagnostics(outcomes: readonly (RecordFile | Diagnostic)[]): Collected {
  const files: RecordFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const outcome of outcomes) {
    if ('text' in outcome) files.push(outcome);
    else diagnostics.push(outcome);
  }
  return { files, diagnostics, found: outcomes.length };
}

/** A link that leaves the folder could hide anything; a folder inside it is read under its own name anyway. */
function linkMatters(root: string, file: string): boolean {
  try {
    if (!isBelow(realpathSync(root), realpathSync(file))) return true;
  } catch {
    return true;
  }
  return isCandidate(file) && !isFolder(file);
}

/** A link to nowhere, or to itself, is no folder; reading it will say what is wrong with it. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isBelow(folder: string, target: string): boolean {
  const path = relative(folder, target);
  return path !== '..' && !path.startsWith(`..${sep}`);
}

/**
 * Reads a record file, or says what is in the way. What is refused is never opened.
 *
 * @param root - the folder that it must not leave, if it is a symbolic link
 * @param regular - whether its folder lists it as a regular file
 */
export function readRecordFile(
  file: string,
  root: string | undefined,
  regular = false,
): Uint8Array | Diagnostic {
  const problem = (finding: Finding) => diagnostic(shownPath(file), WHOLE_FILE, finding);
  const unsafe = unsafePath(file);
  if (unsafe !== undefined) return problem(unsafe);
  try {
    // Says under its own name that a link leads nowhere.
    if (root !== undefined) statSync(file);
    const target = root === undefined ? file : realpathSync(file);
    if (root !== undefined && !isBelow(realpathSync(root), target)) {
      return problem({ rule: 'symlink-outside', message: `the link leads to ${target}` });
    }
    // To open a pipe or a device can do something by itself.
    if (!regular && !lstatSync(target).isFile()) {
      return problem({ rule: 'file-kind', message: 'this is not a regular file' });
    }
    if (!RECORD_NAME.test(file)) {
      return problem({ rule: 'file-name', message: `${basename(file)} does not end in .yaml or .yml` });
    }
    const read = readAtMost(target, MAX_RECORD_BYTES);
    return typeof read === 'number' ? problem(tooLarge(read)) : read;
  } catch (cause) {
    return problem({ rule: 'file-unreadable', message: (cause as Error).message });
  }
}

/** What there is to say of a record file of so many bytes. */
export function tooLarge(bytes: number): Finding {
  return { rule: 'file-too-large', message: `the file has ${bytes} bytes` };
}

/**
 * Opens a regular file once, and reads it if it is not too large; else gives its size in bytes. Should another file, or a link,
 * have been put in its place since somebody looked, it is not read.
 */
function readAtMost(file: string, limit: number): Uint8Array | number {
  const descriptor = openSync(file, READ_REGULAR);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is not a regular file`);
    if (stats.size > limit) return stats.size;
    // One more, which shows whether the file has grown.
    const buffer = Buffer.allocUnsafe(stats.size + 1);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += read;
      if (read === 0 || length === stats.size) return buffer.subarray(0, length);
      if (length === buffer.length) throw new Error(`${file} has changed while it was read`);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** Windows knows neither flag, and has no links that need no privilege. */
const READ_REGULAR = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** A record file with its text, or what is in the way. Its parameters are those of `readRecordFile`. */
function readRecord(file: string, root: string | undefined, regular: boolean): RecordFile | Diagnostic {
  const read = readRecordFile(file, root, regular);
  return read instanceof Uint8Array ? recordFile(file, read) : read;
}

/** A record file from its bytes, or what keeps them from being a text. */
export function recordFile(file: string, bytes: Uint8Array): RecordFile | Diagnostic {
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    const finding = { rule: 'not-utf8', message: 'there are bytes that are not UTF-8' } as const;
    return diagnostic(shownPath(file), positionOfByte(bytes, firstBadByte(bytes)), finding);
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const finding = { rule: 'nul-character', message: 'there is a NUL character' } as const;
    return diagnostic({ file: shownPath(file), text }, positionOfByte(bytes, nul), finding);
  }
  return { file: shownPath(file), stem: stemOf(file), text };
}

/** The name of a record file without its ending: what issuer_id must be. */
export function stemOf(file: string): string {
  return basename(file).replace(RECORD_NAME, '');
}

/** Paths in messages and reports look the same on every system. */
export function shownPath(file: string): string {
  return sep === '/' ? file : file.split(sep).join('/');
}

/** Without a byte order mark, which is what people on Windows need. */
function decodeUtf8(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString('utf8');
  return text.startsWith('\ufeff') ? text.slice(1) : text;
}

/** Where UTF-8 ends: the longest good beginning, found by halving. A character cut in two is still good. */
function firstBadByte(bytes: Uint8Array): number {
  const good = (length: number) => {
    try {
      new TextDecoder('utf-8', { fatal: true }).decode(bytes.subarray(0, length), { stream: true });
      return true;
    } catch {
      return false;
    }
  };
  let low = 0;
  let high = bytes.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (good(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function positionOfByte(bytes: Uint8Array, offset: number): Range {
  // As a stream, so that the beginning of a broken character does not count.
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true }).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line, column, endLine: line, endColumn: column + 1 };
}
