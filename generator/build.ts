import type { PublishedFacts } from './build-cache.js';
import { BuildMemory } from './build-memory.js';
import type { SignerChoice } from './choose-signer.js';
import { onOutput } from './output-folder.js';
import type { BuildReport, PublishOptions } from './publish.js';
import type { RecordsToPublish } from './publish-records.js';
import type { Signer } from './sign.js';

/** What to build from what. */
export interface BuildOptions extends SignerChoice, PublishOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** Publish the list under a new updated_at even if no record has changed. */
  readonly renew?: boolean;
  /** How many threads check records. Default: one a processor, as far as there is enough to do. */
  readonly workers?: number | undefined;
  /** Whether to use what the build before has remembered, and to remember. The tree is the same either way. Default: true. */
  readonly cache?: boolean;
}

/**
 * Builds the signed registry: YAML → record → list → bytes → signature → tree. The tree is verified before it is
 * written, as a stranger would, except for what the build before has verified; and what was written is read back, byte for
 * byte. Whatever goes wrong, what was published before stays.
 *
 * @throws {@link RecordsRejected} | {@link KeyRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 *
 * @example
 * ```ts
 * import { build } from 'passport-registry';
 *
 * const report = await build({ issuers: 'issuers', out: 'dist', key: 'root-key.pem', production: true, directory: '.' });
 * console.log(report.sha256, report.updatedAt);
 * ```
 */
export function build(options: BuildOptions): Promise<BuildReport> {
  return onOutput(options.out, async (place) => {
    // Where nothing has changed, most of the program is not needed; and what signs is loaded while a thread looks at the tree.
    const [memory, { chooseSigner }] = await Promise.all([
      BuildMemory.open(options.issuers, place.out, options.cache !== false),
      import('./choose-signer.js'),
    ]);
    const checked = memory.same ? undefined : await checkedRecords(memory, options);
    options.onStage?.('records');
    const signer = await chooseSigner(options);
    if (memory.same && asksForNothingElse(options, signer, memory.same.published)) {
      const { unchangedReport } = await import('./unchanged-report.js');
      return unchangedReport(memory.same, place.out, options);
    }
    const { publishRecords } = await import('./publish-records.js');
    return publishRecords(checked ?? (await checkedRecords(memory, options)), memory, signer, place, options);
  });
}

async function checkedRecords(memory: BuildMemory, options: BuildOptions): Promise<RecordsToPublish> {
  const { buildRecords } = await import('./build-records.js');
  const known = memory.published();
  return { ...(await buildRecords(options.issuers, memory.found, options, memory.records(known))), known };
}

/** Whether a build of the same records would publish what is published. */
function asksForNothingElse(
  options: BuildOptions,
  { rootKey, development }: Signer,
  published: PublishedFacts,
): boolean {
  const { renew, delegation, rotation, checkpoint, precompress } = options;
  return (
    rootKey.thumbprint === published.rootKey &&
    development === published.development &&
    (precompress === true) === published.precompress &&
    !renew &&
    [delegation, rotation, checkpoint].every((one) => one === undefined)
  );
}
