import type { RootKey } from '@passport-registry/verifier';
import { type BuildOptions as BareBuildOptions, build as buildBare } from '../generator/build.js';
import type { BuildReport } from '../generator/publishing/report.js';
import type { VerifyOptions } from '../generator/verification/check-tree.js';
import type { TreeSource } from '../generator/verification/tree-source.js';
import { type TreeReport, verifyTree as verifyTreeBare } from '../generator/verification/verify.js';
import { verifyHolders } from './verify-holders.js';

// What stands below replaces the exports of the same names: the generator doesn't know how holders share a key.
export * from '../generator/index.js';

/** The inputs and the output of a build. */
export type BuildOptions = Omit<BareBuildOptions, 'verifyHolders'>;

/**
 * Builds the signed registry: YAML → record → list → bytes → signature → tree. The build reads and checks every record.
 * It verifies the whole tree, as any verifier would, before it writes a new file. It then reads back every file that it
 * wrote. If anything fails, the published tree is left unchanged, with two exceptions: damaged files of a tree with a log are
 * made again first, and what fails after the log was extended, or while files are replaced, is completed by the next build.
 *
 * @throws {@link RecordsRejected} | {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed} |
 *   {@link SharedKeyRejected}
 *
 * @example
 * ```ts
 * import { build } from 'passport-registry';
 *
 * const signer = { key: 'root-key.pem', production: true, directory: '.' };
 * const report = await build({ issuers: 'issuers', out: 'dist', signer });
 * console.log(report.sha256, report.updatedAt);
 * ```
 */
export async function build(options: BuildOptions): Promise<BuildReport> {
  return buildBare({ ...options, verifyHolders });
}

/**
 * Verifies everything in a tree as an outsider would: with nothing but the published files and a root key.
 *
 * @param source - the tree: `folderSource`, `httpSource` or `memorySource`
 * @param pinned - the root key that the caller trusts: the current one, or an earlier one from which the tree's
 *   rotation leads to the current one. Default: the tree's own key
 *
 * @example
 * ```ts
 * import { folderSource, verifyTree } from 'passport-registry';
 *
 * const report = await verifyTree(folderSource('dist'));
 * console.log(report.ok, report.rootKey);
 * ```
 */
export async function verifyTree(
  source: TreeSource,
  pinned?: RootKey,
  options: Omit<VerifyOptions, 'verifyHolders'> = {},
): Promise<TreeReport> {
  return verifyTreeBare(source, pinned, { ...options, verifyHolders });
}
