import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed } from './errors.js';

/** The bytes of a file that the user has named. @throws {@link IoFailed} */
export function readBytes(file: string): Buffer {
  try {
    return readFileSync(file);
  } catch (cause) {
    throw new IoFailed(`${file} cannot be read: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
}

/** The text of a file that the user has named. @throws {@link IoFailed} */
export function readText(file: string): string {
  return readBytes(file).toString('utf8');
}

/** A file of a tree; undefined when it is not there, or cannot be read. */
export function readIfThere(out: string, path: string): Buffer | undefined {
  try {
    return readFileSync(join(out, path));
  } catch {
    // What cannot be read is written anew.
    return undefined;
  }
}
