import { isObject } from '../bytes/checks.js';
import { parseStrictJson } from '../bytes/strict-json.js';
import { limitOf } from '../limits.js';
import { TREE_FILES } from '../tree-files.js';

/** The files that `statements.json` contains, if the tree has them (rule statements-file). */
export const STATEMENT_FILES: readonly string[] = [
  TREE_FILES.signature,
  TREE_FILES.publication,
  TREE_FILES.checkpoint,
  TREE_FILES.rotation,
  TREE_FILES.logProof,
];

/** Returns whether `statements.json` contains a file, if the tree has the file. */
export function isInStatementsFile(path: string): boolean {
  return STATEMENT_FILES.includes(path);
}

/**
 * Reads `statements.json`. The file proves nothing: its members are verified like the files whose paths they have
 * (rule statements-file).
 *
 * @returns the members by path. Undefined if the file is damaged
 */
export function readStatementsFile(bytes: Uint8Array): ReadonlyMap<string, Uint8Array> | undefined {
  let value: unknown;
  try {
    value = parseStrictJson(bytes);
  } catch {
    return undefined;
  }
  const members = isObject(value) ? Object.entries(value).filter(([path]) => isInStatementsFile(path)) : [];
  const files = new Map<string, Uint8Array>();
  for (const [path, text] of members) {
    if (typeof text !== 'string') return undefined;
    const file = new TextEncoder().encode(text);
    if (file.length > limitOf(path)) return undefined;
    files.set(path, file);
  }
  // Every registry has a signature.
  return files.has(TREE_FILES.signature) ? files : undefined;
}
