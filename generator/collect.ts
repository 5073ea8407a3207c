import { isUtf8 } from 'node:buffer';
import { lstatSync, readFileSync, realpathSync, type Stats, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import { type Diagnostic, diagnostic, type Finding, type Range, WHOLE_FILE } from './diagnostic.js';
import { IoFailed, UsageError } from './errors.js';
import { ALMOST_RECORD_NAME, RECORD_NAME } from './record-name.js';
import { MAX_FILE_SIZE } from './rules.js';
import { type Entry, walk } from './walk.js';

/** A record file as it was found: its name and its text. */
export interface RecordFile {
  /** The file, as the user would name it. */
  readonly file: string;
  /** Its name without .yaml or .yml: what issuer_id must be. */
  readonly stem: string;
  /** Its text, without a byte order mark. */
  readonly text: string;
}

/** What a folder holds: the files that could be read, and what is wrong with the others. */
export interface Collected {
  readonly files: readonly RecordFile[];
  readonly diagnostics: readonly Diagnostic[];
}

/** Record files that have been found, and not yet read. */
export interface FoundFiles {
  /** Their paths, as the user would name them, sorted. */
  readonly files: readonly string[];
  /** Of those that are symbolic links, the folder that the link must not leave. */
  readonly links: ReadonlyMap<string, string>;
}

/**
 * Finds the record files of some files and folders. Dot-files are left out.
 *
 * @throws {@link UsageError} when a path does not exist
 */
export function findRecordFiles(paths: readonly string[]): FoundFiles {
  const found: string[] = [];
  const links = new Map<string, string>();
  for (const path of paths) {
    const stats = lstatSync(path, { throwIfNoEntry: false });
    if (stats === undefined) throw new UsageError(`${path} does not exist`);
    if (isFolder(path)) {
      findBelow(path, found, links);
    } else {
      found.push(path);
      if (stats.isSymbolicLink()) links.set(path, dirname(path));
    }
  }
  return { files: (paths.length === 1 ? found : [...new Set(found)]).sort(), links };
}

/** Links are listed and never followed: what lies behind one must not go unseen. */
function findBelow(folder: string, found: string[], links: Map<string, string>): void {
  const start = join(folder, 'x').slice(0, -1);
  const onEntry = (path: string, kind: Entry['kind']) => {
    if (kind === 'folder' || (kind !== 'link' && !ALMOST_RECORD_NAME.test(path))) return;
    const file = `${start}${path}`;
    if (kind === 'link' && !linkMatters(folder, file)) return;
    found.push(file);
    if (kind === 'link') links.set(file, folder);
  };
  try {
    walk(folder, onEntry, (name) => !name.startsWith('.'));
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
  const { files, links } = findRecordFiles(paths);
  if (files.length === 0) return { files: [], diagnostics: [noRecords(paths)] };
  return sortedOut(files.map((file) => readRecord(file, links.get(file))));
}

/** What there is to say where no record has been found. */
export function noRecords(paths: readonly string[]): Diagnostic {
  const message = `there is no record in ${paths.join(', ')}`;
  return diagnostic(paths[0] ?? '', WHOLE_FILE, { rule: 'no-records', message });
}

/** Files that could be read, and what is wrong with the others. */
export function sortedOut(outcomes: readonly (RecordFile | Diagnostic)[]): Collected {
  const files: RecordFile[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const outcome of outcomes) {
    if ('text' in outcome) files.push(outcome);
    else diagnostics.push(outcome);
  }
  return { files, diagnostics };
}

/** A link that leaves the folder could hide anything; a folder inside it is read under its own name anyway. */
function linkMatters(root: string, file: string): boolean {
  try {
    if (!isInside(root, file)) return true;
  } catch {
    return true;
  }
  return ALMOST_RECORD_NAME.test(file) && !isFolder(file);
}

/** A link to nowhere, or to itself, is no folder; reading it will say what is wrong with it. */
function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory();
  } catch {
    return false;
  }
}

function isInside(root: string, file: string): boolean {
  const path = relative(realpathSync(root), realpathSync(file));
  return path !== '..' && !path.startsWith(`..${sep}`);
}

/** A file that has been read. */
export interface ReadFile {
  /** What it was like before. */
  readonly stats: Stats;
  readonly bytes: Uint8Array;
}

/**
 * Reads a record file, or says what is in the way.
 *
 * @param root - the folder that it must not leave, if it is a symbolic link
 */
export function readRecordFile(file: string, root: string | undefined): ReadFile | Diagnostic {
  const problem = (finding: Finding, range: Range = WHOLE_FILE) =>
    diagnostic(shownPath(file), range, finding);
  try {
    const stats = statSync(file);
    if (root !== undefined && !isInside(root, file)) {
      return problem({ rule: 'symlink-outside', message: `the link leads to ${realpathSync(file)}` });
    }
    if (!stats.isFile()) return problem({ rule: 'file-kind', message: 'this is no regular file' });
    if (!RECORD_NAME.test(file)) {
      return problem({ rule: 'file-name', message: `${basename(file)} does not end in .yaml or .yml` });
    }
    if (stats.size > MAX_FILE_SIZE) {
      return problem({ rule: 'file-too-large', message: `the file has ${stats.size} bytes` });
    }
    return { stats, bytes: readFileSync(file) };
  } catch (cause) {
    return problem({ rule: 'file-unreadable', message: (cause as Error).message });
  }
}

/** A record file with its text, or what is in the way. Its parameters are those of `readRecordFile`. */
export function readRecord(file: string, root: string | undefined): RecordFile | Diagnostic {
  const read = readRecordFile(file, root);
  return 'bytes' in read ? recordFile(file, read.bytes) : read;
}

/** A record file from its bytes, or what keeps them from being a text. */
export function recordFile(file: string, bytes: Uint8Array): RecordFile | Diagnostic {
  const problem = (offset: number, finding: Finding) =>
    diagnostic(shownPath(file), positionOfByte(bytes, offset), finding);
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    return problem(firstBadByte(bytes), { rule: 'not-utf8', message: 'there are bytes that are not UTF-8' });
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) return problem(nul, { rule: 'nul-character', message: 'there is a NUL character' });
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
