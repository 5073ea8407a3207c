import type { RootKey } from '@passport-registry/verifier';
import { printable } from '../diagnostics/printable.js';
import { TreeRejected } from '../errors.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { assertVerifiable } from '../verification/accept.js';
import type { ProvenStatements } from '../verification/check-tree.js';
import { memorySource, registryFiles } from '../verification/tree-source.js';
import { auditTree } from '../verification/verify.js';

/** The files that prove that a list is the newest, and that lead from earlier root keys to the current one. */
const FRESHNESS = [PATHS.checkpoint, PATHS.rotation];

/**
 * Verifies a whole tree in memory as an outsider would, before any file is written
 * (rule verified-before-written). Whoever publishes a tree has to know all of its files: a file that nothing lists is refused,
 * although an auditor passes what a later version may have added.
 *
 * @param name - the name of the tree in messages. Default: it is a new tree
 * @returns the statements of the tree
 * @throws {@link TreeRejected}
 */
export async function assertTreeGood(tree: Tree, rootKey: RootKey, name?: string): Promise<ProvenStatements> {
  const source = memorySource(tree);
  const { report, statements } = await auditTree({ ...source, name: name ?? source.name }, rootKey, {
    withoutLog: name === undefined,
  });
  // An expired or missing checkpoint does not make the tree invalid: the operator runs `checkpoint` after the build.
  const isLater = (name: string) =>
    name === 'freshness' || (name === 'checkpoint' && !tree.has(PATHS.checkpoint));
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && !isLater(name));
  if (failed.length > 0) {
    const problems = failed.flatMap(({ problems }) => problems).slice(0, 5);
    throw new TreeRejected(`${report.source} fails verification: ${problems.join('; ')}`);
  }
  assertNothingUnlisted(
    report.source,
    report.notes.flatMap(({ code, path }) => (code === 'file-unlisted' ? [path] : [])),
  );
  // Without these files, a client reads nothing that the audit has not verified. If the tree has a checkpoint, the audit
  // runs the client.
  const isChecked = report.checks.some(({ name, result }) => name === 'client' && result === 'passed');
  const lacksCheckpoint = report.checks.some(
    ({ name, result }) => name === 'checkpoint' && result === 'failed',
  );
  const needsClient = FRESHNESS.some((path) => tree.has(path)) && !isChecked && !lacksCheckpoint;
  if (needsClient) await assertVerifiable(registryFiles(source), rootKey);
  return statements;
}

/** Refuses to publish files that are not part of a tree. @throws {@link TreeRejected} */
export function assertNothingUnlisted(name: string, unlisted: readonly string[]): void {
  if (unlisted.length === 0) return;
  const paths = unlisted.slice(0, 5).map(printable).join(', ');
  throw new TreeRejected(
    `${name} has files that are not part of the tree: ${paths}. Move them elsewhere. If a later version of this program has built the tree, use that version`,
  );
}
