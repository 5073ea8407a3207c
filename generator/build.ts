import { assertOutside, withOutputFolder } from './files/output-folder.js';
import type { Listeners } from './progress.js';
import type { PublishOptions } from './publishing/publication.js';
import { publish } from './publishing/publish.js';
import type { BuildReport } from './publishing/report.js';
import { goodRecords } from './records/check-records.js';
import { chooseSigner, type SignerChoice } from './signing/choose-signer.js';

/** What to build from what. */
export interface BuildOptions extends PublishOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** Which key signs. */
  readonly signer: SignerChoice;
  readonly listeners?: Listeners | undefined;
}

/**
 * Builds the signed registry: YAML → record → list → bytes → signature → tree. Every record is read and checked, the whole
 * tree is verified before a file is written, as a stranger would verify it, and every file that was written is read back.
 * If anything fails, the published tree is left unchanged.
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
  const { issuers, out, signer: choice, listeners, ...how } = options;
  assertOutside(out, [issuers, choice.key, choice.rootKey, choice.directory]);
  return withOutputFolder(out, async (place) => {
    const records = goodRecords(issuers, listeners?.onProgress);
    listeners?.onStage?.('records');
    const signer = await chooseSigner(choice);
    return publish({ ...how, records, signer }, place, listeners);
  });
}
