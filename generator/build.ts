import { chooseSigner, type SignerChoice } from './choose-signer.js';
import { RecordsRejected } from './errors.js';
import { listBytes, recordBytes } from './list.js';
import { type BuildReport, type PublishOptions, publish, type SignedListBytes } from './publish.js';
import { type PublishedTree, readPublished } from './published.js';
import { loadRecords } from './records.js';
import { type Signer, signList } from './sign.js';
import { type SigningRequest, writeSigningRequest } from './signing-request.js';
import { nextUpdatedAt } from './updated-at.js';

/** What to build from what. */
export interface BuildOptions extends SignerChoice, PublishOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** Publish the list under a new updated_at even if no record has changed. */
  readonly renew?: boolean;
}

/**
 * Builds the signed registry: YAML → record → list → bytes → signature → tree. The tree is verified before it is
 * written, as a stranger would, and what was written is read back, byte for byte. Whatever goes wrong, what was published
 * before stays.
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
  const { records, diagnostics } = await goodRecords(options);
  options.onStage?.('records');
  const signer = await chooseSigner(options);
  const makeList = (published: PublishedTree | undefined) =>
    signedList(recordBytes(records), published, signer, options);
  return publish(makeList, signer, options, diagnostics);
}

/**
 * Prepares a list for signing elsewhere: validates the records, and writes a signing request for the list that they make.
 * The published tree is not touched; `attachSignature` completes it.
 *
 * @param folder - a new folder for the request
 * @returns undefined when the published list says the same already
 * @throws {@link RecordsRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareSigning(
  options: Pick<BuildOptions, 'issuers' | 'out' | 'updatedAt' | 'renew' | 'onProgress'>,
  folder: string,
): Promise<SigningRequest | undefined> {
  const { records } = await goodRecords(options);
  const published = await readPublished(options.out);
  const bytes = recordBytes(records);
  const previous = published?.updatedAt;
  if (previous !== undefined && published?.list !== undefined && published.signed && !options.renew) {
    if (Buffer.compare(listBytes(bytes, previous).list, published.list) === 0) return undefined;
  }
  const { list } = listBytes(bytes, nextUpdatedAt(options.updatedAt, previous, Date.now()));
  return writeSigningRequest(folder, list, published);
}

async function goodRecords({ issuers, onProgress }: Pick<BuildOptions, 'issuers' | 'onProgress'>) {
  const { records, diagnostics, ok } = await loadRecords([issuers], onProgress);
  if (!ok) throw new RecordsRejected(diagnostics);
  return { records, diagnostics };
}

/** The list to publish: the published one as long as it says the same and is rightly signed, else a new one. */
async function signedList(
  records: ReadonlyMap<string, Uint8Array>,
  published: PublishedTree | undefined,
  signer: Signer,
  { updatedAt: requested, renew }: BuildOptions,
): Promise<SignedListBytes> {
  const previous = published?.updatedAt;
  if (previous !== undefined && published?.list !== undefined) {
    const list = listBytes(records, previous);
    const same = Buffer.compare(list.list, published.list) === 0;
    const sameRoot = published.rootKey?.thumbprint === signer.rootKey.thumbprint;
    const keep = !renew || requested === previous;
    if (same && sameRoot && keep && published.signed && published.signature !== undefined) {
      return { list, signature: published.signature.trim(), kept: true };
    }
    // A build that was killed between signature and list: asked for the same time, it makes the same bytes.
    if (same && sameRoot && requested === previous) {
      return { list, signature: await signList(list.list, signer), kept: false };
    }
  }
  const list = listBytes(records, nextUpdatedAt(requested, previous, Date.now()));
  return { list, signature: await signList(list.list, signer), kept: false };
}
