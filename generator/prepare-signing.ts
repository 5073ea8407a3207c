import type { BuildOptions } from './build.js';
import { buildRecords } from './build-records.js';
import { findRecordFiles } from './collect.js';
import { listBytes } from './list.js';
import { readPublished } from './published.js';
import { type SigningRequest, writeSigningRequest } from './signing-request.js';
import { nextUpdatedAt } from './updated-at.js';

/**
 * Prepares a list for signing elsewhere: validates the records, and writes a signing request for the list that they make.
 * The published tree is not touched; `attachSignature` completes it.
 *
 * @param folder - a new folder for the request
 * @returns undefined when the published list says the same already
 * @throws {@link RecordsRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareSigning(
  options: Pick<BuildOptions, 'issuers' | 'out' | 'updatedAt' | 'renew' | 'workers' | 'onProgress'>,
  folder: string,
): Promise<SigningRequest | undefined> {
  const { records } = await buildRecords(options.issuers, findRecordFiles([options.issuers]), options);
  const published = await readPublished(options.out);
  const previous = published?.updatedAt;
  if (previous !== undefined && published?.list !== undefined && published.signed && !options.renew) {
    if (Buffer.compare(listBytes(records, previous).list, published.list) === 0) return undefined;
  }
  const { list } = listBytes(records, nextUpdatedAt(options.updatedAt, previous, Date.now()));
  return writeSigningRequest(folder, list, published);
}
