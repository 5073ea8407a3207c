import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { TreeRejected } from '../errors.js';
import { listBytes, recordsBytes } from '../list/list.js';
import { nextUpdatedAt } from '../list/updated-at.js';
import { predecessorOf, publishedRecords } from '../publishing/predecessor.js';
import type { ListTime } from '../publishing/publication.js';
import { goodRecords } from '../records/check-records.js';
import { assertPublishable, type RuleExceptions } from '../review/assert-publishable.js';
import { readPublished } from '../tree/published-tree.js';
import { type SigningRequest, writeSigningRequest } from './signing-request.js';

/** Options of `prepareSigning`. */
export interface SigningOptions {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  readonly exceptions?: RuleExceptions;
  readonly time?: ListTime;
}

/** A signing request that was written to a folder. */
export interface PreparedRequest extends SigningRequest {
  /** Warnings about the records. */
  readonly warnings: readonly Diagnostic[];
}

/**
 * Prepares a list for signing elsewhere: checks the records and their change from the published list, and writes a
 * signing request. The published tree is not touched; `attachSignature` publishes the signed list.
 *
 * @param folder - a new folder for the request
 * @returns undefined if the published list already has the same records
 * @throws {@link RecordsRejected} | {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareSigning(
  { issuers, out, exceptions = {}, time = {} }: SigningOptions,
  folder: string,
): Promise<PreparedRequest | undefined> {
  const set = goodRecords(issuers, undefined, 'there is nothing to sign');
  const records = recordsBytes(set.issuers.values());
  const published = predecessorOf(await readPublished(out), { rootKey: undefined, development: false });
  if (published !== undefined && !published.signed) {
    throw new TreeRejected(
      `the list in ${out} is not signed by its root key, which happens if a publication is killed: complete that publication first`,
    );
  }
  const before = published && publishedRecords(published, out);
  const warnings = assertPublishable({ before, after: set }, exceptions, false);
  const previous = published?.updatedAt;
  if (previous !== undefined && published?.list !== undefined && !time.renew) {
    if (Buffer.compare(listBytes(records, previous).list, published.list) === 0) return undefined;
  }
  const { list } = listBytes(records, nextUpdatedAt(time.updatedAt, previous, Date.now()));
  return { ...writeSigningRequest(folder, list, published), warnings };
}
