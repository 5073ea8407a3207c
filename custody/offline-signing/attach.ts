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
  const next = await nextRootKey(files, trusted);
  const rootKey = next ?? trusted;
  const signed = await signedPayloads(request, (type) => (type === 'rotation' ? trusted : rootKey));
  const list = signed.get('list');
  const statement = jwtOf(signed.get('publication'));
  const checkpoint = jwtOf(signed.get('checkpoint'));
  const signer = { rootKey, development: false };
  const { out, ...how } = options;
  if (list !== undefined && statement !== undefined) {
    const registry = readRequestedList(list.bytes, 'the list in the request');
    const about = readRequestedAbout(files.about, registry);
    const publication = {
      ...signer,
      records: { ...recordsOfList(registry.issuers), about },
      list: bytesOfList(list.bytes, registry),
      signature: encodeSignature(list.signature),
      statement,
      checkpoint,
      rotation: jwtOf(signed.get('rotation')),
    };
    const published = await withOutputFolder(out, async (output) => {
      const { tree, notes } = await openTree(output, signer, how);
      return withNotes(await attach(publication, tree, how), notes);
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

/**
 * Returns the root key to which the step of a request leads. Undefined if it has none. A step that no signer would show is not
 * published, whoever has signed it. (The list is checked with its tree.)
 */
async function nextRootKey({ payloads }: RequestFiles, outgoing: RootKey): Promise<RootKey | undefined> {
  const step = payloads.get('rotation');
  if (step === undefined) return undefined;
  return (await readRotationInput(step.toString('latin1'), outgoing)).next;
}

/** A payload, and its raw signature, which is valid. */
interface SignedPayload {
  readonly bytes: Buffer;
  readonly signature: Uint8Array;
}

/** Returns the JWT whose header and claims were signed. */
function jwtOf(signed: SignedPayload | undefined): string | undefined {
  return signed && withSignature(signed.bytes.toString('latin1'), signed.signature);
}

/** Verifies the signature of every payload. @throws {@link KeyRejected} */
async function signedPayloads(
  { files: { payloads }, signatures }: SignedRequest,
  keyFor: (type: PayloadType) => RootKey,
): Promise<ReadonlyMap<PayloadType, SignedPayload>> {
  const signed = new Map<PayloadType, SignedPayload>();
  for (const [type, bytes] of payloads) {
    const rootKey = keyFor(type);
    const output = signatures.get(type) ?? new Uint8Array();
    const signature = await findValidSignature(signaturesIn(output), bytes, rootKey);
    if (signature === undefined) {
      throw new KeyRejected(
        `the signature of ${PAYLOADS[type].file} is not valid: it is of another file, or by another key than ${rootKey.thumbprint}`,
      );
    }
    signed.set(type, { bytes, signature });
  }
  return signed;
}
