import { assertOutside, type OutputFolder, withOutputFolder } from './files/output-folder.js';
import { attach } from './publishing/attach.js';
import { withDevelopmentKey } from './publishing/choose-log.js';
import { openTree } from './publishing/open-tree.js';
import { prepare } from './publishing/prepare.js';
import type { ListTime, PublishOptions } from './publishing/publication.js';
import { type BuildReport, withNotes } from './publishing/report.js';
import { signRequest } from './publishing/request.js';
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
  readonly time?: ListTime | undefined;
}

/**
 * Builds the signed registry: YAML → record → list → bytes → signature → tree. The build reads and checks every record, and publishes
 * in three steps: it prepares, signs and attaches. It verifies the new tree without its log, as any verifier would, before it
 * writes a file, and then reads back every file that it wrote. If anything fails before the publication is committed, nothing is
 * published. What is committed is completed, by this command or by the next.
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
async function buildInto(
  output: OutputFolder,
  { issuers, out: _named, signer: choice, time, ...how }: BuildOptions,
): Promise<BuildReport> {
  const { listeners } = how;
  const records = goodRecords(issuers, listeners?.onProgress);
  listeners?.onStage?.('records');
  const signer = await chooseBuildSigner(choice);
  const { tree, notes: urlNotes } = await openTree(output, signer, how);
  listeners?.onStage?.('published tree');
  const options = { ...how, log: withDevelopmentKey(how.log, signer, tree.newest) };
  const { request, warnings, notes } = await prepare({ ...options, records, signer, time }, tree);
  const signed = await signRequest(request, signer);
  listeners?.onStage?.('list and signature');
  return withNotes(await attach(signed, tree, options), [...urlNotes, ...notes], warnings);
}
