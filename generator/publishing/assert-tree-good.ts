import type { RootKey } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { assertClientAccepts, treeFiles } from '../verification/assert-client-accepts.js';
import { memorySource } from '../verification/tree-source.js';
import { verifyTree } from '../verification/verify.js';

/** What shows that a tree is the newest, and how its root key came about. */
const FRESHNESS = [PATHS.checkpoint, PATHS.delegation, PATHS.rotation];

/** Verifies a whole tree before a file of it is written, as a stranger would verify it. @throws {@link TreeRejected} */
export async function assertTreeGood(tree: Tree, rootKey: RootKey): Promise<void> {
  const report = await verifyTree(memorySource(tree), rootKey);
  // A checkpoint that has expired is no fault of the tree: `checkpoint` is run as soon as it is there.
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length > 0) {
    const problems = failed.flatMap(({ problems }) => problems).slice(0, 5);
    throw new TreeRejected(`${report.source} fails verification: ${problems.join('; ')}`);
  }
  // Without these files a client looks at nothing that the verification has not seen; with a checkpoint it is asked there.
  const unasked = FRESHNESS.some((path) => tree.has(path)) && !tree.has(PATHS.checkpoint);
  if (unasked) await assertClientAccepts(treeFiles(tree), rootKey);
}
