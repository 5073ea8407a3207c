import type { RootKey } from '@passport-registry/verifier';
import { encodeSignature } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { withSignature } from '../../generator/freshness/statements.js';
import { NO_WITNESSES } from '../../generator/log/log-choice.js';
import { attach } from '../../generator/publishing/attach.js';
import { openCommitted, openTree } from '../../generator/publishing/open-tree.js';
import type { PublishOptions } from '../../generator/publishing/publication.js';
import { attachCheckpoint, type CheckpointReport } from '../../generator/publishing/publish-checkpoint.js';
import { type BuildReport, withNotes } from '../../generator/publishing/report.js';
import { recordsOfList } from '../../generator/records/check-records.js';
import { findValidSignature, signaturesIn } from '../../generator/signing/signature-form.js';
import { PAYLOADS, type PayloadType } from './payloads.js';
import { bytesOfList, readRequestedAbout, readRequestedList } from './publication-request.js';
import type { RequestFiles } from './request-files.js';
import { readRotationInput } from './rotation-request.js';

/** A signing request and the signatures of its payloads. */
interface SignedRequest {
  readonly files: RequestFiles;
  /** A signature for each payload, in any form of `signaturesIn`. */
  readonly signatures: ReadonlyMap<PayloadType, Uint8Array>;
}

/** How to publish the list. */
interface AttachOptions extends PublishOptions {
  /** The folder of the tree. */
  readonly out: string;
}

/** What a request became. */
type Attached =
  /** `next`: the new root key, if the request is a rotation. */
  | { readonly published: BuildReport; readonly next: RootKey | undefined }
  /** The request renews only the checkpoint. */
  | { readonly checkpoint: CheckpointReport };

/**
 * Publishes a list or a checkpoint that was signed elsewhere. Every signature is verified first. A request is refused once another
 * list or statement has been published, so that a request from before an emergency can't undo the emergency change. If the request
 * is already published, its publication is completed.
 *
 * @param trusted - the root key, which verifies the signatures: in a rotation, the outgoing one
 * @throws {@link KeyRejected} | {@link RecordsRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachSignatures(
  request: SignedRequest,
  trusted: RootKey,
  options: AttachOptions,
): Promise<Attached> {
  const { files } = request;
  const { payloads } = files;
  const step = payloads.get('rotation')?.toString('latin1');
  // A step that no signer would show is not published, whoever has signed it. The list is checked with its tree.
  const next = step === undefined ? undefined : (await readRotationInput(step, trusted)).next;
  const rootKey = next ?? trusted;
  const signatures = await validSignatures(request, (type) => (type === 'rotation' ? trusted : rootKey));
  const completed = (type: PayloadType) => {
    const payload = payloads.get(type);
    const signature = signatures.get(type);
    return payload && signature && withSignature(payload.toString('latin1'), signature);
  };
  const rotation = completed('rotation');
  const [list, signature, statement] = [
    payloads.get('list'),
    signatures.get('list'),
    completed('publication'),
  ];
  const checkpoint = completed('checkpoint');
  const signer = { rootKey, development: false };
  const { out, ...how } = options;
  if (list !== undefined && signature !== undefined && statement !== undefined) {
    const registry = readRequestedList(list, 'the list in the request');
    const records = { ...recordsOfList(registry.issuers), about: readRequestedAbout(files.about, registry) };
    const signed = { ...signer, records, list: bytesOfList(list, registry), statement, checkpoint, rotation };
    const published = await withOutputFolder(out, async (output) => {
      const { tree, notes } = await openTree(output, signer, how);
      const report = await attach({ ...signed, signature: encodeSignature(signature) }, tree, how);
      return withNotes(report, notes);
    });
    return { published, next };
  }
  if (checkpoint !== undefined) {
    const url = { ...how.url, onlyCheckpoint: true };
    return withOutputFolder(out, async (output) => {
      const found = await openCommitted(output, how.log ?? NO_WITNESSES);
      return { checkpoint: await attachCheckpoint(checkpoint, found, { witnesses: how.log, url }) };
    });
  }
  throw new UsageError('the request has no payload to attach');
}

/** Verifies the signature of every payload. Returns the raw signatures. */
async function validSignatures(
  { files: { payloads }, signatures }: SignedRequest,
  keyFor: (type: PayloadType) => RootKey,
): Promise<ReadonlyMap<PayloadType, Uint8Array>> {
  const valid = new Map<PayloadType, Uint8Array>();
  for (const [type, payload] of payloads) {
    const rootKey = keyFor(type);
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
