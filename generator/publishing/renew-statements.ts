import { rmSync } from 'node:fs';
import { join } from 'node:path';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfThere } from '../files/read-file.js';
import { PATHS } from '../tree/paths.js';
import { statementsFile } from '../tree/statements-file.js';
import { addFiles } from './write.js';

/** Brings `statements.json` of a tree up to date after another statement was replaced. Nothing happens if the tree has none. */
export function renewStatements(place: OutputFolder): void {
  const { out } = place;
  if (readIfThere(out, PATHS.statements) === undefined) return;
  const file = statementsFile((path) => readIfThere(out, path));
  if (file === undefined) rmSync(join(out, PATHS.statements));
  else addFiles(new Map([[PATHS.statements, file]]), place);
}
