import type { RootKey } from '@passport-registry/verifier';
import { rotationClaims, signingInput } from '../../generator/freshness/statements.js';
import { writeRequestFiles } from './request-files.js';
import { readRotationInput } from './rotation-request.js';
import { type SigningRequest, signingRequest } from './signing-request.js';

/**
 * Writes a signing request with the step from a root key to the next one.
 *
 * @param folder - a new folder for the request
 * @throws {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function prepareRotation(
  { rootKey, next }: { readonly rootKey: RootKey; readonly next: RootKey },
  folder: string,
): Promise<SigningRequest> {
  const step = signingInput(rootKey, 'registry-root-rotation+jwt', rotationClaims(next));
  const rotation = await readRotationInput(step, rootKey);
  const request = signingRequest({ rootKey }, { rotation });
  writeRequestFiles(folder, request);
  return request;
}
