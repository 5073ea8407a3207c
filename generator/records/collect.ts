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
import fastGlob, { type Options } from 'fast-glob';
import {
  type Diagnostic,
  diagnostic,
  type Finding,
  type Range,
  WHOLE_FILE,
} from '../diagnostics/diagnostic.js';
import { MAX_RECORD_BYTES } from '../diagnostics/rules.js';
import { IoFailed, UsageError } from '../errors.js';
import { ATTRIBUTES_FILE } from '../files/git-attributes.js';
import { isWithin } from '../files/walk.js';
import { isCandidate, isVisible, RECORD_NAME, unsafePath } from './record-name.js';

/** The name and the text of a record file. */
export interface RecordFile {
  /** The path of the file, as the user would write it. */
  readonly file: string;
  /** The file name without .yaml or .yml. The issuer_id must equal the stem. */
  readonly stem: string;
  /** The text of the file, without a byte order mark. */
  readonly text: string;
}

/** The record files that could be read, and the problems of the others. */
export interface Collected {
  readonly files: readonly RecordFile[];
  readonly diagnostics: readonly Diagnostic[];
  /** The number of files, readable or not. */
  readonly found: number;
}

/** A record file that has been found but not read yet. */
interface FoundFile {
  /** Its path, as the user would write it. */
  readonly file: string;
  /** If the file is a symbolic link, the folder that its target must be in. */
  readonly root?: string | undefined;
  /** Whether the folder lists the path as a regular file. */
  readonly isRegular?: boolean;
}

/**
 * Finds the record files among some files and folders, sorted by path. Dot-files are ignored.
 *
 * @throws {@link UsageError} if a path does not exist, or if it is a symbolic link to a folder, because a change could
 * point the link anywhere
 */
export function findRecordFiles(paths: readonly string[]): readonly FoundFile[] {
  const found = new Map<string, FoundFile>();
  for (const path of paths) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new UsageError(`${path} does not exist`);
    const isLink = stats.isSymbolicLink();
    if (isLink && isFolder(path))
      throw new UsageError(`${path} is a symbolic link to a folder: pass the path of the folder itself`);
    const root = isLink ? dirname(path) : undefined;
    for (const one of stats.isDirectory() ? findBelow(path) : [{ file: path, root }])
      found.set(one.file, one);
  }
  return [...found.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
}

/**
 * How fast-glob searches a folder. `*` would miss a name that begins with a line break. Links are listed, so that records
 * behind a link cannot go unnoticed, but never followed.
 */
const VISIBLE = ['**/!(.*)', `**/${ATTRIBUTES_FILE}{,/**}`];
const SEARCH: Options = {
  ignore: [`**/.!(${ATTRIBUTES_FILE.slice(1)})/**`],
  onlyFiles: false,
  followSymbolicLinks: false,
  caseSensitiveMatch: false,
  unique: false,
};

/** `**` matches none of these characters, so a folder with one of them in its name is searched by itself. */
const LINE_BREAK = /[\n\r\u2028\u2029]/;

function findBelow(folder: string): FoundFile[] {
  try {
    return search(folder, '');
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/** @param prefix - the path from the folder of the records to the folder to search, with a slash at its end, or empty */
function search(folder: string, prefix: string): FoundFile[] {
  const start = join(folder, 'x').slice(0, -1);
  const entries = fastGlob.sync(VISIBLE, { ...SEARCH, cwd: join(folder, prefix), objectMode: true });
  return entries.flatMap(({ path: below, name, dirent }): FoundFile[] => {
    const path = `${prefix}${below}`;
    if (dirent.isDirectory()) return LINE_BREAK.test(name) ? search(folder, `${path}/`) : [];
    const file = `${start}${path}`;
    if (dirent.isSymbolicLink()) return linkMatters(folder, file) ? [{ file, root: folder }] : [];
    return isCandidate(path) ? [{ file, isRegular: dirent.isFile() }] : [];
  });
}

/**
 * Finds and reads the record files among some files and folders, sorted by path.
 *
 * @throws {@link UsageError} if a path does not exist
 */
export function collectRecordFiles(paths: readonly string[]): Collected {
  const found = findRecordFiles(paths);
  if (found.length > 0) return separateDiagnostics(found.map(readRecord));
  const message = `no records found in ${paths.join(', ')}`;
  const none = diagnostic(paths[0] ?? '', WHOLE_FILE, { rule: 'no-records', message });
  return { files: [], diagnostics: [none], found: 0 };
}

/** Separates the files that could be read from the problems of the others. */
export function separateDiagnostics(outcomes: readonly (RecordFile | Diagnostic)[]): Collected {
  const files: RecordFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const outcome of outcomes) {
    if ('text' in outcome) files.push(outcome);
    else diagnostics.push(outcome);
  }
  return { files, diagnostics, found: outcomes.length };
}

/**
 * Whether a link must be reported or read. A link out of the folder could hide anything. A link to a folder inside can
 * be ignored if that folder is searched under its own name, which a dot-folder is not.
 */
function linkMatters(root: string, file: string): boolean {
  try {
    const [start, target] = [realpathSync(root), realpathSync(file)];
    if (!isWithin(start, target)) return true;
    if (isFolder(target)) return !relative(start, target).split(sep).every(isVisible);
  } catch {
    return true;
  }
  return isCandidate(file);
}

/** A broken link, or a link to itself, is not a folder. Reading the file will report the problem. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

/** Reads a record file, or returns the problem. A file that is refused is never opened. */
export function readRecordFile({ file, root, isRegular }: FoundFile): Uint8Array | Diagnostic {
  const problem = (finding: Finding) => diagnostic(shownPath(file), WHOLE_FILE, finding);
  const unsafe = unsafePath(file);
  if (unsafe !== undefined) return problem(unsafe);
  try {
    // For a broken link, stat names the link in its error; realpath would name the target.
    if (root !== undefined) statSync(file);
    const target = root === undefined ? file : realpathSync(file);
    if (root !== undefined && !isWithin(realpathSync(root), target)) {
      return problem({ rule: 'symlink-outside', message: `the link points to ${target}` });
    }
    // Opening a pipe or a device can have side effects.
    if (!isRegular && !lstatSync(target).isFile()) {
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

/** The finding for a record file that is too large. */
export function tooLarge(bytes: number): Finding {
  return { rule: 'file-too-large', message: `the file has ${bytes} bytes` };
}

/**
 * Opens a regular file and reads it, or returns its size in bytes if the size exceeds the limit. A link or
 * a device that has replaced the file since the first check is not read.
 */
function readAtMost(file: string, limit: number): Uint8Array | number {
  const descriptor = openSync(file, READ_REGULAR);
  try {
    const stats = fstatSync(descriptor);
    if (!stats.isFile()) throw new Error(`${file} is not a regular file`);
    if (stats.size > limit) return stats.size;
    // One byte more than expected shows whether the file has grown. An early end shows that the file has shrunk.
    const buffer = Buffer.allocUnsafe(stats.size + 1);
    let length = 0;
    for (;;) {
      const read = readSync(descriptor, buffer, length, buffer.length - length, null);
      length += read;
      if (length === stats.size) return buffer.subarray(0, length);
      if (read === 0 || length === buffer.length) throw new Error(`${file} changed while it was being read`);
    }
  } finally {
    closeSync(descriptor);
  }
}

/** O_NOFOLLOW and O_NONBLOCK do not exist on Windows, where creating a link needs a privilege. */
const READ_REGULAR = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** Reads and decodes a record file, or returns the problem. */
function readRecord(found: FoundFile): RecordFile | Diagnostic {
  const read = readRecordFile(found);
  return read instanceof Uint8Array ? recordFile(found.file, read) : read;
}

/** Decodes the bytes of a record file, or returns the problem. */
export function recordFile(file: string, bytes: Uint8Array): RecordFile | Diagnostic {
  if (!isUtf8(bytes)) {
    const finding = { rule: 'not-utf8', message: 'the file contains bytes that are not UTF-8' } as const;
    return diagnostic(shownPath(file), positionOfByte(bytes, firstInvalidByte(bytes)), finding);
  }
  // Without the byte order mark that Windows editors add.
  const text = new TextDecoder().decode(bytes);
  const nul = bytes.indexOf(0);
  if (nul !== -1) {
    const finding = { rule: 'nul-character', message: 'the file contains a NUL character' } as const;
    return diagnostic({ file: shownPath(file), text }, positionOfByte(bytes, nul), finding);
  }
  return { file: shownPath(file), stem: stemOf(file), text };
}

/** The name of a record file without its extension. The issuer_id must equal the stem. */
export function stemOf(file: string): string {
  return basename(file).replace(RECORD_NAME, '');
}

/** A path as messages and reports show it: with slashes on every system. */
export function shownPath(file: string): string {
  return sep === '/' ? file : file.split(sep).join('/');
}

/**
 * The offset at which the bytes stop being UTF-8, by binary search. A character that the cut splits still counts as
 * valid.
 */
function firstInvalidByte(bytes: Uint8Array): number {
  const isValidUpTo = (length: number) => {
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
    if (isValidUpTo(middle)) low = middle;
    else high = middle;
  }
  return low;
}

function positionOfByte(bytes: Uint8Array, offset: number): Range {
  // With `stream`, the decoder does not count the beginning of an incomplete character.
  const before = new TextDecoder().decode(bytes.subarray(0, offset), { stream: true }).split('\n');
  const line = before.length;
  const column = (before.at(-1)?.length ?? 0) + 1;
  return { line, column, endLine: line, endColumn: column + 1 };
}
