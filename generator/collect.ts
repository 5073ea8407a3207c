import { isUtf8 } from 'node:buffer';
import { type Dirent, lstatSync, readFileSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, relative, sep } from 'node:path';
import fastGlob from 'fast-glob';
import { type Diagnostic, diagnostic, type Finding, type Range, WHOLE_FILE } from './diagnostic.js';
import { IoFailed, UsageError } from './errors.js';
import type { OnProgress } from './progress.js';
import { ALMOST_RECORD_NAME, RECORD_NAME } from './record-name.js';
import { MAX_FILE_SIZE } from './rules.js';

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

/**
 * Finds and reads the record files of some files and folders, in the order of their names. Dot-files are left out.
 *
 * @param onProgress - told of every file that has been read
 * @throws {@link UsageError} when a path does not exist
 */
export async function collectRecordFiles(
  paths: readonly string[],
  onProgress?: OnProgress,
): Promise<Collected> {
  const found = (await Promise.all(paths.map(candidates))).flat();
  const unique = new Map(found.map((candidate) => [candidate.file, candidate]));
  const sorted = [...unique.values()].sort((a, b) => (a.file < b.file ? -1 : 1));
  if (sorted.length > 0) {
    return sortedOut(
      sorted.map((candidate, done) => {
        onProgress?.('reading', done, sorted.length);
        return read(candidate);
      }),
    );
  }
  const message = `there is no record in ${paths.join(', ')}`;
  return {
    files: [],
    diagnostics: [diagnostic(paths[0] ?? '', WHOLE_FILE, { rule: 'no-records', message })],
  };
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

/** The files below a folder that are named after an issuer. */
export function recordFilesOf(folder: string, id: string): string[] {
  const names = ['yaml', 'yml'].map((ending) => `**/${fastGlob.escapePath(id)}.${ending}`);
  return fastGlob.sync(names, { cwd: folder, onlyFiles: true }).map((file) => join(folder, file));
}

interface Candidate {
  readonly file: string;
  /** The folder that a symbolic link must not leave. */
  readonly root: string;
  readonly link: boolean;
}

async function candidates(path: string): Promise<Candidate[]> {
  if (lstatSync(path, { throwIfNoEntry: false }) === undefined) {
    throw new UsageError(`${path} does not exist`);
  }
  if (!isFolder(path)) return [{ file: path, root: dirname(path), link: lstatSync(path).isSymbolicLink() }];
  const entries = await entriesBelow(path);
  return entries
    .map(({ name, dirent }) => ({ file: join(path, name), root: path, link: dirent.isSymbolicLink() }))
    .filter(({ file, root, link }) => (link ? linkMatters(root, file) : ALMOST_RECORD_NAME.test(file)));
}

/** Links are listed and never followed: what lies behind one must not go unseen. */
async function entriesBelow(folder: string): Promise<{ name: string; dirent: Dirent }[]> {
  try {
    const entries = await fastGlob('**', {
      cwd: folder,
      onlyFiles: false,
      followSymbolicLinks: false,
      objectMode: true,
    });
    return entries
      .filter(({ dirent }) => !dirent.isDirectory())
      .map(({ path, dirent }) => ({ name: path, dirent: dirent as unknown as Dirent }));
  } catch (cause) {
    throw new IoFailed(`${folder} cannot be read: ${(cause as Error).message}`, { cause });
  }
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

function read({ file, root, link }: Candidate): RecordFile | Diagnostic {
  const problem = (finding: Finding, range: Range = WHOLE_FILE) => diagnostic(named(file), range, finding);
  try {
    const stats = statSync(file);
    if (link && !isInside(root, file)) {
      return problem({ rule: 'symlink-outside', message: `the link leads to ${realpathSync(file)}` });
    }
    if (!stats.isFile()) return problem({ rule: 'file-kind', message: 'this is no regular file' });
    if (!RECORD_NAME.test(file)) {
      return problem({ rule: 'file-name', message: `${basename(file)} does not end in .yaml or .yml` });
    }
    if (stats.size > MAX_FILE_SIZE) {
      return problem({ rule: 'file-too-large', message: `the file has ${stats.size} bytes` });
    }
    return recordFile(file, readFileSync(file));
  } catch (cause) {
    return problem({ rule: 'file-unreadable', message: (cause as Error).message });
  }
}

/** A record file from its bytes, or what keeps them from being a text. */
export function recordFile(file: string, bytes: Uint8Array): RecordFile | Diagnostic {
  const problem = (offset: number, finding: Finding) =>
    diagnostic(named(file), positionOfByte(bytes, offset), finding);
  const text = decodeUtf8(bytes);
  if (text === undefined) {
    return problem(firstBadByte(bytes), { rule: 'not-utf8', message: 'there are bytes that are not UTF-8' });
  }
  const nul = bytes.indexOf(0);
  if (nul !== -1) return problem(nul, { rule: 'nul-character', message: 'there is a NUL character' });
  return { file: named(file), stem: basename(file).replace(RECORD_NAME, ''), text };
}

/** Paths in messages and reports look the same on every system. */
function named(file: string): string {
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
