import { randomBytes } from 'node:crypto';
import { lstatSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IoFailed } from '../errors.js';

/** Gives a regular file another text by one rename, so that a record is never half written. @throws {@link IoFailed} */
export function replaceFile(file: string, text: string): void {
  const fresh = join(dirname(file), `.${basename(file)}.${randomBytes(8).toString('hex')}`);
  try {
    const stats = lstatSync(file);
    if (!stats.isFile()) throw new Error('it is not a regular file');
    writeFileSync(fresh, text, { mode: stats.mode & 0o777, flag: 'wx' });
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
