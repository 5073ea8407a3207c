import { TreeRejected } from './errors.js';
import type { Tree } from './tree.js';
import { filesBelow } from './tree-source.js';
import { holds } from './write.js';

/**
 * Asserts that a folder holds exactly a tree: byte for byte what was verified in memory, and nothing else. So it needs no
 * verification of its own.
 *
 * @param written - the paths that were written; the others were compared before
 * @throws {@link TreeRejected}
 */
export function assertWritten(tree: Tree, written: readonly string[], out: string): void {
  const present = new Set(filesBelow(out));
  const problems = [...present].filter((path) => !tree.has(path)).map((path) => `${path} does not belong`);
  problems.push(...[...tree.keys()].filter((path) => !present.has(path)).map((path) => `${path} is missing`));
  for (const path of written) {
    const bytes = tree.get(path);
    if (bytes !== undefined && !holds(out, path, bytes)) problems.push(`${path} is not what was written`);
  }
  if (problems.length === 0) return;
  throw new TreeRejected(`${out} does not hold what was written: ${problems.slice(0, 5).join('; ')}`);
}
