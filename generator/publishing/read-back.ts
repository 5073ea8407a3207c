import { TreeRejected } from '../errors.js';
import type { Tree } from '../tree/tree.js';
import { holds } from './write.js';

/**
 * Reads the written files back, and asserts that their bytes are those that were verified in memory.
 *
 * @param written - the paths of the written files; `writeTree` has compared the other files
 * @throws {@link TreeRejected}
 */
export function assertWritten(tree: Tree, written: readonly string[], out: string): void {
  const problems = written.filter((path) => !holds(out, path, tree.get(path) ?? new Uint8Array()));
  if (problems.length === 0) return;
  throw new TreeRejected(`${out} does not contain what was written: ${problems.slice(0, 5).join(', ')}`);
}
