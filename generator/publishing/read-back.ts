import { TreeRejected } from '../errors.js';
import type { Tree } from '../tree/tree.js';
import { holds } from './write.js';

/**
 * Asserts that the disk gives back what was written to it: byte for byte what was verified in memory.
 *
 * @param written - the paths that were written; the others were compared before
 * @throws {@link TreeRejected}
 */
export function assertWritten(tree: Tree, written: readonly string[], out: string): void {
  const problems = written.filter((path) => !holds(out, path, tree.get(path) ?? new Uint8Array()));
  if (problems.length === 0) return;
  throw new TreeRejected(`${out} does not contain what was written: ${problems.slice(0, 5).join(', ')}`);
}
