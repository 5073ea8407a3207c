import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IoFailed } from '../errors.js';

/**
 * Replaces the content of a regular file by one rename, so that no record is ever half written.
 *
 * @throws {@link IoFailed}
 */
export function replaceFile(file: string, text: string): void {
  const temporary = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
  try {
    const stats = lstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    writeFileSync(temporary, text, { mode: stats.mode & 0o777, flag: 'wx' });
    renameSync(temporary, file);
  } catch (cause) {
    rmSync(temporary, { force: true });
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
