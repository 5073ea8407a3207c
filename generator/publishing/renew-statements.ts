import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed } from '../errors.js';
import { flushFolder } from '../files/flush.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfThere } from '../files/read-file.js';
import { PATHS } from '../tree/paths.js';
import { statementsFile } from '../tree/statements-file.js';
import { addFiles } from './write.js';

/**
 * Replaces statements of a tree, and then `statements.json`, if the tree has it. Meanwhile there is no such file: if the
 * process is killed, no client reads an older statement there than the single files have.
 *
 * @param replace - replaces the single files
 */
export function replaceStatements(place: OutputFolder, replace: () => void): void {
  const isThere = existsSync(join(place.out, PATHS.statements));
  if (isThere) withdrawStatements(place);
  replace();
  if (!isThere) return;
  const file = statementsFile((path) => readIfThere(place.out, path));
  if (file !== undefined) addFiles(new Map([[PATHS.statements, file]]), place);
}

/** Removes `statements.json` before any of the files that it holds is replaced. */
export function withdrawStatements({ out }: OutputFolder): void {
  try {
    rmSync(join(out, PATHS.statements), { recursive: true, force: true });
    flushFolder(out);
  } catch (cause) {
    throw new IoFailed(`${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
