import { assertOutside, type OutputFolder, withOutputFolder } from './files/output-folder.js';
import type { Listeners } from './progress.js';
import type { PublishOptions } from './publishing/publication.js';
import { publish } from './publishing/publish.js';
import type { BuildReport } from './publishing/report.js';
import { goodRecords } from './records/check-records.js';
import { chooseBuildSigner, type SignerChoice } from './signing/choose-signer.js';

/** The inputs and the output of a build. */
export interface BuildOptions extends PublishOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The key that signs. */
  readonly signer: SignerChoice;
  readonly listeners?: Listeners | undefined;
}

/**
 * Builds the signed registry: YAML → record → list → bytes → signature → tree. The build reads and checks every record.
 * It verifies the whole tree, as any verifier would, before it writes a new file. It then reads back every file that it
 * wrote. If anything fails, the published tree is left unchanged, with two exceptions: damaged files of a tree with a log are
 * made again first, and what fails after the log was extended, or while files are replaced, is completed by the next build.
 *
 * @throws {@link RecordsRejected} | {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
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
  const { issuers, out, signer } = options;
  assertOutside(out, [issuers, signer.key, signer.rootKey, signer.directory]);
  return withOutputFolder(out, (output) => buildInto(output, options));
}

/** Builds like {@link build}, in a folder to which the caller has exclusive access. */
export async function buildInto(
  output: OutputFolder,
  { issuers, out: _named, signer: choice, listeners, ...how }: BuildOptions,
): Promise<BuildReport> {
  const records = goodRecords(issuers, listeners?.onProgress);
  listeners?.onStage?.('records');
  const signer = await chooseBuildSigner(choice);
  return publish({ ...how, records, signer }, output, listeners);
}
