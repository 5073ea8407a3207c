import { RegistryError, type RootKey, verifyList } from '@passport-registry/verifier';
import { ANY_TIME, verifyAbout, verifyPublicationStatement } from '@passport-registry/verifier/core';
import { KeyRejected, RequestRejected, TreeRejected } from '../../generator/errors.js';
import { assertExpectedStatement } from '../../generator/publishing/sign-statement.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { readCheckpointInput } from './checkpoint-request.js';
import {
  assertStatusSince,
  bytesOfList,
  type PreviousPublication,
  type RequestedPublication,
  readRequestedAbout,
  readRequestedList,
  summedList,
} from './publication-request.js';
import { keyOf, type PreviousFiles, type RequestFiles, readRequestFiles } from './request-files.js';
import { type RequestedRotation, readRotationInput } from './rotation-request.js';
import { type SigningKeys, type SigningRequest, signingRequest } from './signing-request.js';

/**
 * Reads a signing request, and trusts nothing but the root key. The root key, in a rotation the outgoing one, must have signed
 * everything that the request follows. A new list must be valid, and later unless it is the previous one. What can be computed, such
 * as the tree of sums, the publication statement and the difference of two lists, is computed anew. A rotation step must be the one
 * that this program makes of its claims.
 *
 * @param signer - the key that is to sign: in a rotation, the outgoing key or the next one
 * @param outgoing - the outgoing root key, if the next one is to sign
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected} | {@link IoFailed}
 */
export async function readSigningRequest(
  folder: string,
  signer: RootKey,
  outgoing: RootKey | undefined,
): Promise<SigningRequest> {
  const files = readRequestFiles(folder);
  const checkpoint = files.payloads.get('checkpoint');
  const rotation = await requestedRotation(files, signer, outgoing);
  const previousRootKey = rotation?.outgoing;
  const rootKey = rotation?.step.next ?? signer;
  const keys = { rootKey, previousRootKey };
  const previous = files.previous && (await readPrevious(files.previous, previousRootKey ?? rootKey, folder));
  const publication = requestedPublication(files, { keys, folder, previous });
  const statement = publication?.statement ?? previous?.statement;
  if (checkpoint !== undefined && statement === undefined)
    throw new TreeRejected(
      `${folder} has a checkpoint, and no publication that it is for: make a new request`,
    );
  const requested = {
    publication,
    checkpoint: checkpoint && statement && readCheckpointInput(inputOf(checkpoint), rootKey, statement),
    rotation: rotation?.step,
  };
  return signingRequest(keys, requested, previous);
}

/** Reads the step of a request, which is by the key that signs, or leads to it. Undefined if the request has none. */
async function requestedRotation(
  { payloads }: RequestFiles,
  signer: RootKey,
  named: RootKey | undefined,
): Promise<{ readonly step: RequestedRotation; readonly outgoing: RootKey } | undefined> {
  const bytes = payloads.get('rotation');
  if (bytes === undefined) return undefined;
  const isOutgoing = keyOf(bytes) === signer.thumbprint;
  const outgoing = isOutgoing ? signer : named;
  if (outgoing === undefined) {
    throw new KeyRejected(
      `the request is a rotation from the root key ${keyOf(bytes)}: name that key, which verifiers have pinned, with --previous-root-key`,
    );
  }
  const step = await readRotationInput(inputOf(bytes), outgoing);
  if (isOutgoing || step.next.thumbprint === signer.thumbprint) return { step, outgoing };
  throw new KeyRejected(
    `the request is a rotation from ${outgoing.thumbprint} to ${step.next.thumbprint}, and the key is ${signer.thumbprint}`,
  );
}

/** The text of a payload. A byte that is not ASCII stays another character, which no payload has. */
const inputOf = (bytes: Buffer) => bytes.toString('latin1');

/** What a request is read with. */
interface Reading {
  readonly keys: SigningKeys;
  readonly folder: string;
  readonly previous: PreviousPublication | undefined;
}

function requestedPublication(
  { payloads, about: names }: RequestFiles,
  { keys: { rootKey, previousRootKey }, folder, previous }: Reading,
): RequestedPublication | undefined {
  const list = payloads.get('list');
  const bytes = payloads.get('publication');
  if (list === undefined || bytes === undefined) return undefined;
  const registry = readRequestedList(list, `the list in ${folder}`);
  const hash = sha256(list);
  const kept = hash === previous?.sha256;
  const { updated_at } = previous?.registry ?? {};
  if (updated_at !== undefined && !kept && registry.updated_at <= updated_at) {
    throw new RequestRejected(
      'ERR_REQUEST_PAYLOAD',
      `the list is dated ${registry.updated_at}, not later than the previous list`,
    );
  }
  if (kept && previousRootKey !== undefined) {
    throw new TreeRejected(
      `the list in ${folder} is the published one, which the new root key has not signed: make a new request`,
    );
  }
  const about = readRequestedAbout(names, registry);
  assertStatusSince(about, registry, previous);
  const summed = summedList(bytesOfList(list, registry), previous?.statement.levels ?? 0, names);
  const input = inputOf(bytes);
  const statement = assertExpectedStatement(input, summed, { rootKey, previous: previous?.statement });
  return { list, registry, about, input, statement, previous, kept };
}

async function readPrevious(
  { list, signature, statement: bytes, about }: PreviousFiles,
  rootKey: RootKey,
  folder: string,
): Promise<PreviousPublication> {
  const refuse = (cause: unknown): never => {
    throw refusal(cause, folder, rootKey);
  };
  const { registry, sha256: hash } = await verifyList({ list, signature, rootKey }).catch(refuse);
  if (bytes === undefined) {
    throw new TreeRejected(
      `${folder} does not follow one publication: previous/publication.jwt is missing; make a new request`,
    );
  }
  const statement = await verifyPublicationStatement(bytes, rootKey, ANY_TIME).catch(refuse);
  if (statement.sha256 !== hash) {
    throw new TreeRejected(
      `${folder} does not follow one publication: previous/publication.jwt names another list than previous/issuers.json; make a new request`,
    );
  }
  const read = { ...statement, text: bytes.toString('utf8') };
  return {
    list,
    registry,
    sha256: hash,
    signature,
    statement: read,
    about: await verifyAbout(about, statement),
  };
}

function refusal(cause: unknown, folder: string, { thumbprint }: RootKey): unknown {
  if (!(cause instanceof RegistryError)) return cause;
  if (!cause.code.startsWith('ERR_SIGNATURE') && cause.code !== 'ERR_PUBLICATION_INVALID') {
    const problem = `${folder} does not follow a valid list: ${cause.code}, ${cause.message}`;
    return new TreeRejected(problem, { cause });
  }
  return new KeyRejected(
    `the publication that ${folder} follows is not signed by ${thumbprint}: sign with the root key of that registry ` +
      `(${cause.message})`,
    { cause },
  );
}
