import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfThere } from '../files/read-file.js';
import { PATHS } from '../tree/paths.js';
import { statementsFile } from '../tree/statements-file.js';
import { addFiles, withdrawStatements } from './write.js';

/**
 * Replaces statements of a tree, and then `statements.json`, if the tree has it. Meanwhile there is no such file.
 *
 * @param replace - replaces the single files
 */
export async function replaceStatements(output: OutputFolder, replace: () => unknown): Promise<void> {
  const isThere = existsSync(join(output.out, PATHS.statements));
  if (isThere) withdraw(output.out);
  await replace();
  if (!isThere) return;
  const file = statementsFile((path) => readIfThere(output.out, path));
  if (file !== undefined) await addFiles(new Map([[PATHS.statements, file]]), output);
}

function withdraw(out: string): void {
  try {
    withdrawStatements(out);
  } catch (cause) {
    throw new IoFailed(`${out} cannot be written: ${(cause as Error).message}`, { cause });
  }
}
