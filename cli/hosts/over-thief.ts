import { join } from 'node:path';
import { PRIVATE_FOLDER, privateFolder } from '../../generator/files/private-folder.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { writePrivateFile } from '../../generator/files/replace-file.js';
import type { Witness } from '../../generator/log/log-choice.js';
import { countIn, readProof } from '../../generator/publishing/prove-logged.js';
import { replacedRootKeys } from '../../generator/tree/commitment.js';
import { statementsIn } from '../../generator/tree/statements-file.js';

/** In the private folder: the root keys that have replaced one of which a thief has published, by thumbprint, a line for each. */
const FILE = 'over-thief.txt';

/** Remembers that the operator has rotated to a root key over what a thief of the earlier one has published. */
export function rememberThief(rootKey: string): void {
  try {
    writePrivateFile(join(privateFolder('.'), FILE), [...readKeys(), rootKey, ''].join('\n'));
  } catch {
    // The rotation is done. What nobody remembers is refused.
  }
}

/** Whether a tree goes on over what a thief has published, as the operator has told `keys rotate` in this folder. */
export function isOverThief(folder: string, rootKey: string | undefined): boolean {
  const known = readKeys();
  return [rootKey, ...replacedRootKeys(folder)].some((key) => key !== undefined && known.includes(key));
}

/**
 * Whether what a witness has cosigned, and a tree lacks, is that thief's: then that witness has not cosigned the head of the tree.
 * Of an old copy, all have. A damaged proof does not show who has, so it excuses nothing.
 */
export async function isThiefs(
  { folder, rootKey }: { readonly folder: string; readonly rootKey: string | undefined },
  witnesses: readonly Witness[],
): Promise<boolean> {
  if (!isOverThief(folder, rootKey)) return false;
  const text = statementsIn((path) => readIfReadable(folder, path))?.logProof;
  const proof = readProof(text);
  if (text !== undefined && proof === undefined) return false;
  return (await countIn(proof, { witnesses })) < witnesses.length;
}

/** A file that cannot be read excuses nothing. */
function readKeys(): readonly string[] {
  const text = readIfReadable(PRIVATE_FOLDER, FILE)?.toString('utf8') ?? '';
  return text.split('\n').filter((line) => line !== '');
}
