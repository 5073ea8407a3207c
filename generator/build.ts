import { assertOutside, withOutputFolder } from './files/output-folder.js';
import { type ListBytes, listBytes, recordsBytes, withUpdatedAt } from './list/list.js';
import { nextUpdatedAt } from './list/updated-at.js';
import {
  type BuildReport,
  type PublishOptions,
  publish,
  type SignedListBytes,
} from './publishing/publish.js';
import { goodRecords } from './records/check-records.js';
import { chooseSigner, type SignerChoice } from './signing/choose-signer.js';
import { type Signer, signList } from './signing/sign.js';
import type { PublishedTree } from './tree/published-tree.js';

/** What to build from what. */
export interface BuildOptions extends SignerChoice, PublishOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** Publish the list under a new updated_at even if no record has changed. */
  readonly renew?: boolean;
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
 * const report = await build({ issuers: 'issuers', out: 'dist', key: 'root-key.pem', production: true, directory: '.' });
 * console.log(report.sha256, report.updatedAt);
 * ```
 */
export async function build(options: BuildOptions): Promise<BuildReport> {
  assertOutside(options.out, [options.issuers, options.key, options.rootKey, options.directory]);
  return withOutputFolder(options.out, async (place) => {
    const set = goodRecords(options.issuers, options.onProgress);
    const records = recordsBytes(set.issuers.values());
    options.onStage?.('records');
    const signer = await chooseSigner(options);
    const makeList = (published: PublishedTree | undefined) =>
      signedList(records, published, signer, options);
    return publish({ records: set, makeList, signer }, place, options);
  });
}

/** The list to publish: the published one as long as it says the same and is rightly signed, else a new one. */
async function signedList(
  records: ReadonlyMap<string, Uint8Array>,
  published: PublishedTree | undefined,
  signer: Signer,
  { updatedAt: requested, renew }: BuildOptions,
): Promise<SignedListBytes> {
  const sign = async (list: ListBytes) => ({
    list,
    signature: await signList(list.list, signer),
    kept: false,
  });
  const previous = published?.updatedAt;
  const later = () => nextUpdatedAt(requested, previous, Date.now());
  if (published?.list === undefined || previous === undefined) return sign(listBytes(records, later()));
  const list = listBytes(records, previous);
  const same = Buffer.compare(list.list, published.list) === 0;
  if (same && published.rootKey?.thumbprint === signer.rootKey.thumbprint) {
    const keep = !renew || requested === previous;
    if (keep && published.signed && published.signature !== undefined) {
      return { list, signature: published.signature.trim(), kept: true };
    }
    // A build that was killed between signature and list: asked for the same time, it makes the same bytes.
    if (requested === previous) return sign(list);
  }
  return sign(withUpdatedAt(list, later()));
}
