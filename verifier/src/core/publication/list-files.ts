import { type Invalid, textOf } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { trimSignature } from '../keys/signature.js';
import { TREE_FILES } from '../tree-files.js';
import type { RegistryFiles } from './registry-files.js';

/** The folder of the lists that are named by their hash, and never change (rule lists). */
export const LISTS_FOLDER = 'lists/';

/** Returns the path of a list. @param sha256 - its payload hash */
export const listPath = (sha256: string) => `${LISTS_FOLDER}${sha256}.json`;

/** Reads the signature of the list. @returns undefined if there is none */
export async function readSignature(files: RegistryFiles): Promise<string | undefined> {
  const bytes = await files.get(TREE_FILES.signature);
  const invalid: Invalid = (problem, cause) =>
    new RegistryError('ERR_SIGNATURE_MALFORMED', `${TREE_FILES.signature} ${problem}`, { cause });
  return bytes && trimSignature(textOf(bytes, invalid));
}
