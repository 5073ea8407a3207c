import { join } from 'node:path';
import fastGlob from 'fast-glob';

/** The files below a folder that are named after an issuer. */
export function recordFilesOf(folder: string, id: string): string[] {
  const names = ['yaml', 'yml'].map((ending) => `**/${fastGlob.escapePath(id)}.${ending}`);
  return fastGlob.sync(names, { cwd: folder, onlyFiles: true }).map((file) => join(folder, file));
}
