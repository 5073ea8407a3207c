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

/** What is to be signed on a machine that has the key but not the registry. All of it is verified. */
interface RequestedStatements {
  readonly publication?: RequestedPublication | undefined;
  readonly checkpoint?: RequestedCheckpoint | undefined;
  readonly rotation?: RequestedRotation | undefined;
}

/** The root key that signs, and the root key that signed what the request follows. */
export interface SigningKeys {
  readonly rootKey: RootKey;
  /** The root key before a rotation, if the request is the first under a new root key. */
  readonly previousRootKey?: RootKey | undefined;
}

/** A verified signing request. */
export interface SigningRequest extends SigningKeys, RequestedStatements {
  /** Everything that the root key signs, in the order of `PAYLOAD_TYPES`. */
  readonly payloads: readonly Payload[];
  /** What the request follows, verified; undefined for a first list, and for a rotation step. */
  readonly previous: PreviousPublication | undefined;
}

/** Makes a request of verified parts. */
export function signingRequest(
  { rootKey, previousRootKey: before }: SigningKeys,
  { publication, checkpoint, rotation }: RequestedStatements,
  previous = publication?.previous,
): SigningRequest {
  const previousRootKey = before?.thumbprint === rootKey.thumbprint ? undefined : before;
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
    return [{ type, bytes: payload, signature: type === 'list' ? keptSignature : undefined }];
  });
  return { rootKey, previousRootKey, publication, checkpoint, rotation, previous, payloads };
}

/**
 * Signs every payload of a request, and writes the signatures into its folder. A payload that has its signature already,
 * such as an unchanged list, keeps it.
 *
 * @returns the written files
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function signRequest(
  folder: string,
  { payloads }: SigningRequest,
  signer: Signer,
): Promise<readonly string[]> {
  const signatures = new Map<string, string>();
  for (const { type, bytes, signature } of payloads) {
    const file = join(folder, PAYLOADS[type].signature);
    signatures.set(file, signature ?? (await signPayload(bytes, signer)));
  }
  for (const [file, signature] of signatures) writeWholeFile(file, signature);
  return [...signatures.keys()];
}

/** Describes every payload of a request in words, without the hash of the list and the root key. */
export function describeChanges({
  rootKey,
  previousRootKey,
  publication,
  checkpoint,
  rotation,
}: SigningRequest): string[] {
  const lines = [
    ...(publication === undefined ? [] : describePublication(publication)),
    ...(checkpoint === undefined ? [] : describeCheckpoint(checkpoint)),
    ...(rotation === undefined ? [] : describeRotation(rotation, rootKey)),
  ];
  if (publication?.previous !== undefined && previousRootKey !== undefined) {
    lines.push(
      `FIRST PUBLICATION UNDER A NEW ROOT KEY, ${rootKey.thumbprint}, after ${previousRootKey.thumbprint}: it needs a rotation`,
    );
  }
  return lines;
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
