import type { RootKey } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { assertClientAccepts, treeFiles } from '../verification/assert-client-accepts.js';
import { memorySource } from '../verification/tree-source.js';
import { verifyTree } from '../verification/verify.js';

/** The files that prove that a list is the newest, and that lead from earlier root keys to the current one. */
const FRESHNESS = [PATHS.checkpoint, PATHS.delegation, PATHS.rotation];

/**
 * Verifies a whole tree in memory as an outsider would, before any file is written.
 *
 * @param name - the name of the tree in messages
 * @throws {@link TreeRejected}
 */
export async function assertTreeGood(tree: Tree, rootKey: RootKey, name?: string): Promise<void> {
  const source = memorySource(tree);
  const report = await verifyTree({ ...source, name: name ?? source.name }, rootKey);
  // An expired checkpoint does not make the tree invalid: the operator runs `checkpoint` after the build.
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length > 0) {
    const problems = failed.flatMap(({ problems }) => problems).slice(0, 5);
    throw new TreeRejected(`${report.source} fails verification: ${problems.join('; ')}`);
  }
  // Without these files, a client reads nothing that `verifyTree` has not verified. If the tree has a checkpoint,
  // `verifyTree` runs the client.
  const needsClient = FRESHNESS.some((path) => tree.has(path)) && !tree.has(PATHS.checkpoint);
  if (needsClient) await assertClientAccepts(treeFiles(tree), rootKey);
}
