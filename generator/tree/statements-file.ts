import { isUtf8 } from 'node:buffer';
import { canonicalBytes, decodeUtf8, LIMITS, STATEMENT_FILES } from '@passport-registry/verifier/core';
import { PATHS } from './paths.js';
import type { Tree } from './tree.js';

/**
 * Makes `statements.json` from the files of a tree: all statements in one file, so that a client needs one request.
 *
 * @returns undefined if the file would be larger than clients read, or if a file is not text. The single files then decide
 */
export function statementsFile(read: (path: string) => Uint8Array | undefined): Uint8Array | undefined {
  const members: [string, string][] = [];
  for (const path of STATEMENT_FILES) {
    const bytes = read(path);
    if (bytes === undefined) continue;
    if (!isUtf8(bytes)) return undefined;
    members.push([path, decodeUtf8(bytes)]);
  }
  const file = canonicalBytes(Object.fromEntries(members));
  return file.length > LIMITS.statements ? undefined : file;
}

/** Adds `statements.json` to a tree that is otherwise complete. */
export function withStatementsFile(tree: Tree): Tree {
  const file = statementsFile((path) => tree.get(path));
  return file === undefined ? tree : new Map([...tree, [PATHS.statements, file]]);
}
