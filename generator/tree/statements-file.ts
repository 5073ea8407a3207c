import { RegistryError } from '@passport-registry/verifier';
import {
  formatStatementsFile,
  parseStatementsFile,
  type StatementsFile,
} from '@passport-registry/verifier/core';
import type { ReadFileSync } from '../log/log-files.js';
import { PATHS } from './paths.js';
import type { Tree } from './tree.js';

/** Reads `statements.json` of a tree (rule statements-file). Nothing is verified. Undefined if the file is missing or damaged. */
export function statementsIn(read: ReadFileSync): StatementsFile | undefined {
  const bytes = read(PATHS.statements);
  try {
    return bytes && parseStatementsFile(bytes);
  } catch (error) {
    if (error instanceof RegistryError) return undefined;
    throw error;
  }
}

/** Adds `statements.json` to a tree that is otherwise complete. */
export function withStatements(tree: Tree, statements: StatementsFile): Tree {
  return new Map([...tree, [PATHS.statements, formatStatementsFile(statements)]]);
}
