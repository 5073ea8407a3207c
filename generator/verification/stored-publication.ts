import type { StoredPublication } from '@passport-registry/verifier';
import { namedList } from '../freshness/freshness.js';
import { PATHS } from '../tree/paths.js';

/**
 * Returns what a verifier would store of a tree: the list that the checkpoint names, or the list at the top.
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
  const checkpoint = text(PATHS.checkpoint);
  const hash = checkpoint === undefined ? undefined : namedList(Buffer.from(checkpoint));
  const named = typeof hash === 'string' ? pairIn((name) => PATHS.snapshot(hash, name)) : undefined;
  const others = { rotation: text(PATHS.rotation), checkpoint, delegation: text(PATHS.delegation) };
  const present = Object.fromEntries(Object.entries(others).filter(([, value]) => value !== undefined));
  return { version: 1, ...(named ?? top), ...present };
}
