import type { RootKey } from '@passport-registry/verifier';
import { encodeSignature } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { withSignature } from '../../generator/freshness/statements.js';
import { assertNotAhead } from '../../generator/list/updated-at.js';
import type { PublishOptions } from '../../generator/publishing/publication.js';
import { publish } from '../../generator/publishing/publish.js';
import type { BuildReport } from '../../generator/publishing/report.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import { findValidSignature, signaturesIn } from '../../generator/signing/signature-form.js';
import { readDelegationInput } from './delegation-request.js';
import { PAYLOADS, type PayloadType } from './payloads.js';
import { bytesOfList, readRequestedAbout, readRequestedList } from './publication-request.js';
import { followedList, type RequestFiles } from './request-files.js';
import { readRotationInput } from './rotation-request.js';

/** A signing request and the signatures of its payloads. */
interface SignedRequest {
  readonly files: RequestFiles;
  /** A signature for each payload, in any form of `signaturesIn`. */
  readonly signatures: ReadonlyMap<PayloadType, Uint8Array>;
}

/** How to publish the list. */
interface AttachOptions extends Omit<PublishOptions, 'time'> {
  /** The folder of the tree. */
  readonly out: string;
}

/** What a request became. */
type Attached =
  /** The list was published, with the delegation of the request if it has one. */
  | { readonly published: BuildReport }
  /** The request has no list, so its statement is complete, and nothing was published. */
  | { readonly type: 'delegation' | 'rotation'; readonly statement: string };

/**
 * Completes what was signed elsewhere: publishes a list, or returns the delegation or the rotation step of a request
 * without a list. Every signature is verified first. A request is refused once another list or statement has been
 * published, so that a request from before an emergency can't undo the emergency change. If the request is already
 * published, its publication is completed.
 *
 * @param rootKey - verifies the signatures
 * @throws {@link KeyRejected} | {@link RecordsRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachSignatures(
  request: SignedRequest,
  rootKey: RootKey,
  options: AttachOptions,
): Promise<Attached> {
  const { payloads } = request.files;
  const signatures = await validSignatures(request, rootKey);
  await assertShowable(payloads, rootKey);
  const finished = (type: PayloadType) => {
    const [payload, signature] = [payloads.get(type), signatures.get(type)];
    return payload && signature && withSignature(payload.toString('latin1'), signature);
  };
  const [list, signature] = [payloads.get('list'), signatures.get('list')];
  const statement = finished('publication');
  const delegation = finished('delegation');
  const rotation = finished('rotation');
  if (list !== undefined && signature !== undefined && statement !== undefined) {
    const { about } = request.files;
    const signed = { list, signature, statement, about, delegation, follows: followedList(request.files) };
    return { published: await publishList(signed, rootKey, options) };
  }
  if (delegation !== undefined) return { type: 'delegation', statement: delegation };
  if (rotation !== undefined) return { type: 'rotation', statement: rotation };
  throw new UsageError('the request has no payload to attach');
}

/** A statement that no signer would show is not completed, whoever has signed it. The list is checked with its tree. */
async function assertShowable(payloads: RequestFiles['payloads'], rootKey: RootKey): Promise<void> {
  const [delegation, rotation] = [payloads.get('delegation'), payloads.get('rotation')];
  if (delegation !== undefined) {
    await readDelegationInput(delegation.toString('latin1'), rootKey);
  }
  if (rotation !== undefined) await readRotationInput(rotation.toString('latin1'), rootKey);
}

/** A list, and the statements that are published with it. */
interface SignedPublication {
  readonly list: Buffer;
  /** The raw signature over the list. */
  readonly signature: Uint8Array;
  /** The content of publication.jwt. */
  readonly statement: string;
  /** The content of about.json; undefined if there is none. */
  readonly about: Buffer | undefined;
  /** The content of keys/delegation.jwt, if the request has a delegation. */
  readonly delegation: string | undefined;
  /** SHA-256 of the list that the request follows, in hexadecimal. */
  readonly follows: string | undefined;
}

async function publishList(
  { list, signature, statement, about, delegation, follows }: SignedPublication,
  rootKey: RootKey,
  { out, freshness, ...how }: AttachOptions,
): Promise<BuildReport> {
  if (delegation !== undefined && freshness?.delegation !== undefined) {
    throw new UsageError('the request has a delegation of its own: leave out --delegation');
  }
  const registry = readRequestedList(list, 'the list in the request');
  assertNotAhead(registry.updated_at);
  const signer = {
    ...{ rootKey, development: false, list: bytesOfList(list, registry) },
    ...{ signature: encodeSignature(signature), statement, follows },
  };
  const publication = {
    ...how,
    freshness: { ...freshness, ...(delegation !== undefined && { delegation }) },
    records: { ...recordsOfList(registry.issuers), about: readRequestedAbout(about, registry) },
    signer,
  };
  return withOutputFolder(out, (place) => publish(publication, place));
}

/** Verifies the signature of every payload. Returns the raw signatures. */
async function validSignatures(
  { files: { payloads }, signatures }: SignedRequest,
  rootKey: RootKey,
): Promise<ReadonlyMap<PayloadType, Uint8Array>> {
  const valid = new Map<PayloadType, Uint8Array>();
  for (const [type, payload] of payloads) {
    const output = signatures.get(type) ?? new Uint8Array();
    const found = await findValidSignature(signaturesIn(output), payload, rootKey);
    if (found === undefined) {
      throw new KeyRejected(
        `the signature is not valid: root key ${rootKey.thumbprint} has not signed ${PAYLOADS[type].file} of the request; is it ` +
          'the signature of another file, or by another key?',
      );
    }
    valid.set(type, found);
  }
  return valid;
}
