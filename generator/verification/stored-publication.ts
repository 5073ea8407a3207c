import type { StoredPublication } from '@passport-registry/verifier';
import { readStatement, type StatementType } from '@passport-registry/verifier/internal';
import { PATHS } from '../tree/paths.js';

/**
 * Returns what a verifier would store of a tree: the list that the publication statement or, in
 * older trees, the checkpoint names, or else the list at the top.
 *
 * @param read - reads a file of the tree; undefined if there is no such file
 * @returns undefined if files are missing
 */
export function storedPublication(
  read: (path: string) => Uint8Array | undefined,
): StoredPublication | undefined {
  const text = (path: string) => {
    const bytes = read(path);
    return bytes && Buffer.from(bytes).toString('utf8');
  };
  const pairIn = (pathOf: (name: string) => string) => {
    const [list, signature] = [text(pathOf(PATHS.list)), text(pathOf(PATHS.signature))];
    return list === undefined || signature === undefined ? undefined : { list, signature };
  };
  const top = pairIn((name) => name);
  if (top === undefined) return undefined;
  const [publication, checkpoint] = [text(PATHS.publication), text(PATHS.checkpoint)];
  const hash =
    publication === undefined
      ? namedList(checkpoint, 'registry-checkpoint+jwt')
      : namedList(publication, 'registry-publication+jwt');
  const named = typeof hash === 'string' ? pairIn((name) => PATHS.snapshot(hash, name)) : undefined;
  const others = {
    rotation: text(PATHS.rotation),
    publication,
    checkpoint,
    delegation: text(PATHS.delegation),
  };
  const present = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { version: 1, ...(named ?? top), ...present };
}

/** The hash of the list that a statement names, unverified. Undefined if the text is no such statement. */
function namedList(statement: string | undefined, type: StatementType): unknown {
  try {
    return statement && readStatement(statement, type, (message) => new Error(message)).claims['sha256'];
  } catch {
    return undefined;
  }
}
