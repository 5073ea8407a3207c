import type { Stats } from 'node:fs';
import { TreeRejected } from './errors.js';
import type { Tree } from './tree.js';
import { held } from './write.js';

/**
 * Asserts that the disk gives back what was written to it: byte for byte what was verified in memory. So it needs no
 * verification of its own.
 *
 * @param written - the paths that were written; the others were compared before
 * @param onHeld - told what each of the files was like before it was read
 * @throws {@link TreeRejected}
 */
export function assertWritten(
  tree: Tree,
  written: readonly string[],
  out: string,
  onHeld?: (path: string, stats: Stats) => void,
): void {
  const problems: string[] = [];
  for (const path of written) {
    const bytes = tree.get(path);
    const stats = bytes && held(out, path, bytes);
    if (stats === undefined) problems.push(path);
    else onHeld?.(path, stats);
  }
  if (problems.length === 0) return;
  throw new TreeRejected(`${out} does not hold what was written, at ${problems.slice(0, 5).join(', ')}`);
}
