import { type Invalid, textOf } from '../bytes/utf8.js';
import { RegistryError } from '../errors.js';
import { trimSignature } from '../keys/signature.js';
import { TREE_FILES } from '../tree-files.js';
import type { RegistryFiles } from './registry-files.js';

/** Returns the folder with the copy of a list and its signature, which never changes. */
export function snapshotOf({ sha256 }: { readonly sha256: string }): string {
  return `snapshots/${sha256}/`;
}

/**
 * Reads from one folder after the other until one has what is asked for. If none has, the last error counts
 * (rule two-places).
 *
 * @returns undefined if no folder has it, and reading caused no error
 */
export async function readFromFolders<T>(
  folders: readonly string[],
  read: (folder: string) => Promise<T | undefined>,
): Promise<T | undefined> {
  let failure: RegistryError | undefined;
  for (const folder of folders) {
    try {
      const found = await read(folder);
      if (found !== undefined) return found;
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      failure = error;
    }
  }
  if (failure !== undefined) throw failure;
  return undefined;
}

/** Reads the signature in a folder. @returns undefined if there is none */
export async function readSignature(files: RegistryFiles, folder = ''): Promise<string | undefined> {
  const path = `${folder}${TREE_FILES.signature}`;
  const bytes = await files.get(path);
  const invalid: Invalid = (problem, cause) =>
    new RegistryError('ERR_SIGNATURE_MALFORMED', `${path} ${problem}`, { cause });
  return bytes && trimSignature(textOf(bytes, invalid));
}
