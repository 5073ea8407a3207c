import { join } from 'node:path';
import { writeWholeFile } from '../../generator/files/replace-file.js';
import { type Signer, signPayload } from '../../generator/signing/sign.js';
import { PAYLOADS, type PayloadType } from './payloads.js';
import type { SigningRequest } from './signing-request.js';

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
  const signatures = new Map<PayloadType, string>();
  for (const { type, bytes, signature } of payloads) {
    signatures.set(type, signature ?? (await signPayload(bytes, signer)));
  }
  return [...signatures].map(([type, signature]) => {
    const file = join(folder, PAYLOADS[type].signature);
    writeWholeFile(file, signature);
    return file;
  });
}
