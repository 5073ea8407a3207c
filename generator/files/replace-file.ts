import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IoFailed } from '../errors.js';
import { flushFolder } from './flush.js';

/**
 * Replaces the content of a regular file by one rename, so that no record is ever half written.
 *
 * @throws {@link IoFailed}
 */
export function replaceFile(file: string, text: string): void {
  write(file, text, () => {
    const stats = lstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    return stats.mode & 0o777;
  });
}

/**
 * Creates or replaces a public file by one rename, so that the file is whole whenever it exists.
 *
 * @throws {@link IoFailed}
 */
export function writeWholeFile(file: string, content: string | Uint8Array): void {
  write(file, content, () => 0o644);
}

/**
 * Creates or replaces a file that only its owner can read, by one rename.
 *
 * @throws {@link IoFailed}
 */
export function writePrivateFile(file: string, text: string): void {
  write(file, text, () => 0o600);
}

function write(file: string, content: string | Uint8Array, modeOf: () => number): void {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
  try {
    writeFileSync(temporary, content, { mode: modeOf(), flag: 'wx', flush: true });
    renameSync(temporary, file);
    flushFolder(dirname(file));
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
