import { join } from 'node:path';
import { writeWholeFile } from '../files/replace-file.js';
import { type Signer, signPayload } from '../signing/sign.js';
import { REQUEST_FILES } from './request-files.js';
import type { SigningRequest } from './signing-request.js';

/**
 * Signs both payloads of a request, and writes the two signatures into its folder. An unchanged list keeps its
 * signature.
 *
 * @returns the written files
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function signRequest(
  folder: string,
  { list, input, kept, previous }: SigningRequest,
  signer: Signer,
): Promise<readonly string[]> {
  const signatures = {
    [REQUEST_FILES.signature]:
      kept && previous !== undefined ? previous.signature : await signPayload(list, signer),
    [REQUEST_FILES.statementSignature]: await signPayload(Buffer.from(input), signer),
  };
  return Object.entries(signatures).map(([name, signature]) => {
    const file = join(folder, name);
    writeWholeFile(file, signature);
    return file;
  });
}
