import { RegistryError } from '@passport-registry/verifier';
import {
  formatStatementsFile,
  parseStatementsFile,
  readStatement,
  type Statement,
  type StatementsFile,
  type StatementType,
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

/** Reads a statement that nobody has verified. Undefined if the text is not a statement of this type. */
export function readUnverified<Type extends StatementType>(
  text: Uint8Array | string,
  type: Type,
): Statement<Type> | undefined {
  try {
    return readStatement(text, type, (message) => new Error(message));
  } catch {
    return undefined;
  }
}

/** Adds `statements.json` to a tree that is otherwise complete. */
export function withStatements(tree: Tree, statements: StatementsFile): Tree {
  return new Map([...tree, [PATHS.statements, formatStatementsFile(statements)]]);
}
