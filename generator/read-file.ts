import { readFileSync } from 'node:fs';
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
