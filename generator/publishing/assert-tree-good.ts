import type { RootKey } from '@passport-registry/verifier';
import { printable } from '../diagnostics/printable.js';
import { TreeRejected } from '../errors.js';
import type { Tree } from '../tree/tree.js';
import { assertVerifiable } from '../verification/accept.js';
import type { ProvenStatements } from '../verification/check-tree.js';
import { memorySource, registryFiles } from '../verification/tree-source.js';
import { auditTree } from '../verification/verify.js';

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
  // An expired checkpoint does not make the tree invalid: the operator runs `checkpoint` after the build.
  const failed = report.checks.filter(({ name, result }) => result === 'failed' && name !== 'freshness');
  if (failed.length > 0) {
    const problems = failed.flatMap(({ problems }) => problems).slice(0, 5);
    throw new TreeRejected(`${report.source} fails verification: ${problems.join('; ')}`);
  }
  assertNothingUnlisted(
    report.source,
    report.notes.flatMap(({ code, path }) => (code === 'file-unlisted' ? [path] : [])),
  );
  // The audit runs the client, unless something has expired.
  const isChecked = report.checks.some(({ name, result }) => name === 'client' && result === 'passed');
  if (!isChecked) await assertVerifiable(registryFiles(source), rootKey);
  return statements;
}

/** Refuses to publish files that are not part of a tree. @throws {@link TreeRejected} */
export function assertNothingUnlisted(name: string, unlisted: readonly string[]): void {
  if (unlisted.length === 0) return;
  const paths = unlisted.slice(0, 5).map(printable).join(', ');
  throw new TreeRejected(
    `${name} has files that are not part of the tree: ${paths}: move them elsewhere or, if a later version of this program has built the tree, ` +
      'use that version',
  );
}
