import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import { decodeUtf8 } from '@passport-registry/verifier/internal';
import { IoFailed } from '../errors.js';
import { readIfThere } from '../files/read-file.js';
import { PATHS } from '../tree/paths.js';
import { Problems, SeenFiles } from '../verification/seen-files.js';
import { checkRootKey } from '../verification/tree-checks.js';
import { httpSource } from '../verification/tree-source.js';
import { type LocalTree, problemsOf } from './local-tree.js';

/**
 * Returns the root key of a host if the rotation in the output folder leads from that key to the tree's own key: the
 * tree was rotated, and is not on the host yet. The operator's own tree proves this, so the host need not be trusted.
 */
export async function outgoingKeyAt(
  url: string,
  { folder, report }: LocalTree,
): Promise<RootKey | undefined> {
  const rotation = readIfThere(folder, PATHS.rotation);
  const isProven = problemsOf(report, (name) => name === 'root key' || name === 'rotation') === undefined;
  if (rotation === undefined || report?.rootKey === undefined || !isProven) return undefined;
  try {
    const key = await checkRootKey(new SeenFiles(httpSource(url)));
    const current = await walkRotation(key, decodeUtf8(rotation));
    const isOutgoing = key.thumbprint !== report.rootKey && current.thumbprint === report.rootKey;
    return isOutgoing ? key : undefined;
  } catch (error) {
    const isRefused =
      error instanceof RegistryError || error instanceof Problems || error instanceof IoFailed;
    if (isRefused) return undefined;
    throw error;
  }
}
