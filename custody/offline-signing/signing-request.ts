import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { type Signer, signPayload } from '../../generator/signing/sign.js';
import { describeCheckpoint, type RequestedCheckpoint } from './checkpoint-request.js';
import { PAYLOAD_TYPES, PAYLOADS, type Payload, type PayloadType } from './payloads.js';
import {
  describePublication,
  type PreviousPublication,
  type RequestedPublication,
} from './publication-request.js';
import { describeRotation, type RequestedRotation } from './rotation-request.js';

/** What is to be signed on machines that have a key but not the registry. All of it is verified. */
interface RequestedStatements {
  readonly publication?: RequestedPublication | undefined;
  readonly checkpoint?: RequestedCheckpoint | undefined;
  readonly rotation?: RequestedRotation | undefined;
}

/** The root keys that sign. */
export interface SigningKeys {
  /** The key that signs the publication: in a rotation, the next one. */
  readonly rootKey: RootKey;
  /** In a rotation: the outgoing key, which signs the step, and has signed what the request follows. */
  readonly previousRootKey?: RootKey | undefined;
}

/** A verified signing request. */
export interface SigningRequest extends SigningKeys, RequestedStatements {
  /** Everything that is signed, in the order of `PAYLOAD_TYPES`. */
  readonly payloads: readonly Payload[];
  /** What the request follows, verified; undefined for a first list. */
  readonly previous: PreviousPublication | undefined;
}

/** Makes a request of verified parts. */
export function signingRequest(
  { rootKey, previousRootKey }: SigningKeys,
  { publication, checkpoint, rotation }: RequestedStatements,
  previous = publication?.previous,
): SigningRequest {
  const bytes: Readonly<Record<PayloadType, Uint8Array | undefined>> = {
    list: publication?.list,
    publication: publication && Buffer.from(publication.input),
    checkpoint: checkpoint && Buffer.from(checkpoint.input),
    rotation: rotation && Buffer.from(rotation.input),
  };
  const keptSignature = publication?.kept ? publication.previous?.signature : undefined;
  const payloads = PAYLOAD_TYPES.flatMap((type): Payload[] => {
    const payload = bytes[type];
    if (payload === undefined) return [];
    const by = type === 'rotation' && previousRootKey !== undefined ? previousRootKey : rootKey;
    return [{ type, rootKey: by, bytes: payload, signature: type === 'list' ? keptSignature : undefined }];
  });
  return { rootKey, previousRootKey, publication, checkpoint, rotation, previous, payloads };
}

/** Returns the payloads of a request that a root key signs. */
export const payloadsOf = ({ payloads }: SigningRequest, { thumbprint }: RootKey): readonly Payload[] =>
  payloads.filter(({ rootKey }) => rootKey.thumbprint === thumbprint);

/**
 * Signs every payload of a request that the key of a signer signs, and writes the signatures into its folder. A payload that has its
 * signature already, such as an unchanged list, keeps it.
 *
 * @returns the written files
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function signRequest(
  folder: string,
  request: SigningRequest,
  signer: Signer,
): Promise<readonly string[]> {
  const signatures = new Map<string, string>();
  for (const { type, bytes, signature } of payloadsOf(request, signer.rootKey)) {
    const file = join(folder, PAYLOADS[type].signature);
    signatures.set(file, signature ?? (await signPayload(bytes, signer)));
  }
  for (const [file, signature] of signatures) writeWholeFile(file, signature);
  return [...signatures.keys()];
}

/** Describes every payload of a request in words, without the hash of the list and the root key. */
export function describeChanges({
  previousRootKey,
  publication,
  checkpoint,
  rotation,
}: SigningRequest): string[] {
  return [
    ...(publication === undefined ? [] : describePublication(publication)),
    ...(checkpoint === undefined ? [] : describeCheckpoint(checkpoint)),
    ...(rotation === undefined || previousRootKey === undefined
      ? []
      : describeRotation(rotation, previousRootKey)),
  ];
}

/** Describes a request in words. Each word is computed from the payloads, and none is read from the folder. */
export function describeRequest(request: SigningRequest): string[] {
  const { publication, rootKey } = request;
  return [
    ...describeChanges(request),
    ...(publication === undefined ? [] : [`sha256   ${publication.statement.sha256}`]),
    `root key ${rootKey.thumbprint}`,
  ];
}
