import { encodeSignature, type RootKey } from '@passport-registry/verifier';
import { KeyRejected } from '../errors.js';
import { withOutputFolder } from '../files/output-folder.js';
import { withSignature } from '../freshness/statements.js';
import { assertNotAhead } from '../list/updated-at.js';
import type { PublishOptions } from '../publishing/publication.js';
import { publish } from '../publishing/publish.js';
import type { BuildReport } from '../publishing/report.js';
import { recordsOfList } from '../records/check-records.js';
import { findValidSignature, readSignature } from '../signing/signature-form.js';
import { followedList, REQUEST_FILES, type RequestedFiles } from './request-files.js';
import { bytesOfList, readRequestedList } from './signing-request.js';

/** A signing request and the signatures of its two payloads. */
export interface SignedRequest {
  readonly files: RequestedFiles;
  /** The signature over the list, in any form of `readSignature`. */
  readonly signature: Uint8Array;
  /** The signature over the publication statement, in any form of `readSignature`. */
  readonly statementSignature: Uint8Array;
}

/** How to publish the list. */
export interface AttachOptions extends Omit<PublishOptions, 'time'> {
  /** The folder of the tree. */
  readonly out: string;
}

/**
 * Publishes what was signed elsewhere: the counterpart of `prepareSigning`. A request is refused once another list or
 * statement has been published, so that a request from before an emergency can't undo the emergency change. If the
 * request is already published, its publication is completed.
 *
 * @param rootKey - verifies the signatures
 * @throws {@link KeyRejected} | {@link RecordsRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachSignature(
  { files, signature, statementSignature }: SignedRequest,
  rootKey: RootKey,
  { out, ...how }: AttachOptions,
): Promise<BuildReport> {
  const { list, statement } = files;
  const listSignature = await validSignature(signature, list, { rootKey, name: REQUEST_FILES.list });
  const input = Buffer.from(statement, 'latin1');
  const signed = { rootKey, name: REQUEST_FILES.statement };
  const publication = withSignature(statement, await validSignature(statementSignature, input, signed));
  const registry = readRequestedList(list, 'the list in the request');
  assertNotAhead(registry.updated_at, Date.now());
  const signer = {
    ...{ rootKey, development: false, list: bytesOfList(list, registry) },
    ...{ signature: encodeSignature(listSignature), statement: publication, follows: followedList(files) },
  };
  return withOutputFolder(out, (place) =>
    publish({ ...how, records: recordsOfList(registry.issuers), signer }, place),
  );
}

interface SignedFile {
  readonly rootKey: RootKey;
  /** The name of the signed file. */
  readonly name: string;
}

async function validSignature(
  output: Uint8Array,
  payload: Uint8Array,
  { rootKey, name }: SignedFile,
): Promise<Uint8Array> {
  const found = await findValidSignature(readSignature(output), payload, rootKey);
  if (found !== undefined) return found;
  throw new KeyRejected(
    `the signature is not valid: root key ${rootKey.thumbprint} has not signed ${name} of the request; is it the signature of the ` +
      'other file, or by another key?',
  );
}
