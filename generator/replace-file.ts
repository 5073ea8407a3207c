import { renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { IoFailed } from './errors.js';

/** Gives a file another text by one rename, so that a record is never half written. @throws {@link IoFailed} */
export function replaceFile(file: string, text: string): void {
  const fresh = join(dirname(file), `.${basename(file)}.${process.pid}`);
  try {
    writeFileSync(fresh, text, { mode: statSync(file).mode & 0o777 });
    renameSync(fresh, file);
  } catch (cause) {
    rmSync(fresh, { force: true });
    throw new IoFailed(`${file} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
