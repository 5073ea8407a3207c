import { decodeUtf8 } from '../encoding/utf8.js';
import { SignatureMalformed } from '../errors.js';
import { trimSignature } from '../trust/signature.js';
import type { RegistryFiles } from './registry-files.js';

export const LIST = 'issuers.json';
export const SIGNATURE = 'issuers.sig';

/** The bytes of a list, and its signature. */
export interface SignedPair {
  readonly list: Uint8Array;
  readonly signature: string;
}

/** Returns the folder with the copy of a list and its signature, which never changes. */
export function snapshotOf({ sha256 }: { readonly sha256: string }): string {
  return `snapshots/${sha256}/`;
}

/** Reads the signature in a folder. @returns undefined if there is none */
export async function readSignature(files: RegistryFiles, folder = ''): Promise<string | undefined> {
  const path = `${folder}${SIGNATURE}`;
  const bytes = await files.get(path);
  if (bytes === undefined) return undefined;
  try {
    return trimSignature(decodeUtf8(bytes));
  } catch (cause) {
    throw new SignatureMalformed(`${path} is not UTF-8`, { cause });
  }
}
