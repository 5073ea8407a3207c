import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { TreeRejected } from '../errors.js';
import { listBytes, recordsBytes } from '../list/list.js';
import { nextUpdatedAt } from '../list/updated-at.js';
import { predecessorOf, publishedRecords } from '../publishing/predecessor.js';
import type { PublishOptions } from '../publishing/publish.js';
import { goodRecords } from '../records/check-records.js';
import { assertPublishable, type RuleExceptions } from '../review/publication-rules.js';
import { readPublished } from '../tree/published-tree.js';
import { type SigningRequest, writeSigningRequest } from './signing-request.js';

/** What to prepare for signing. */
export interface SigningOptions
  extends RuleExceptions,
    Pick<PublishOptions, 'out' | 'updatedAt' | 'onProgress'> {
  /** The folder of the records. */
  readonly issuers: string;
  /** Sign the list under a new updated_at even if no record has changed. */
  readonly renew?: boolean;
}

/** A signing request that has been written. */
export interface PreparedRequest extends SigningRequest {
  /** What is permitted and still deserves a look. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Prepares a list for signing elsewhere: checks the records, and their change from the published list, and writes a signing
 * request. The published tree is not touched; `attachSignature` completes it.
 *
 * @param folder - a new folder for the request
 * @returns undefined when the published list says the same already
 * @throws {@link RecordsRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareSigning(
  options: SigningOptions,
  folder: string,
): Promise<PreparedRequest | undefined> {
  const set = goodRecords(options.issuers, options.onProgress, 'there is nothing to sign');
  const records = recordsBytes(set.issuers.values());
  const published = predecessorOf(await readPublished(options.out), false);
  if (published !== undefined && !published.signed) {
    throw new TreeRejected(
      `the list in ${options.out} is not signed by its root key, as after a publication that was killed: complete that publication first`,
    );
  }
  const before = published && publishedRecords(published, options.out);
  const warnings = assertPublishable(before, set, options, false);
  const previous = published?.updatedAt;
  if (previous !== undefined && published?.list !== undefined && !options.renew) {
    if (Buffer.compare(listBytes(records, previous).list, published.list) === 0) return undefined;
  }
  const { list } = listBytes(records, nextUpdatedAt(options.updatedAt, previous, Date.now()));
  return { ...writeSigningRequest(folder, list, published), warnings };
}
