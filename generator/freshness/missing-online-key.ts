import { RegistryError } from '@passport-registry/verifier';
import { ANY_TIME, verifyDelegation } from '@passport-registry/verifier/core';
import { KeyRejected } from '../errors.js';
import { readIfReadable } from '../files/read-file.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { PATHS } from '../tree/paths.js';
import { readPublished } from '../tree/published-tree.js';

/** What to do in an emergency, in a registry whose online key may not hold issuers. */
export const WITHOUT_HOLDS =
  'To stop an issuer without a hold, run `suspend` with the root key. For the next time, make a delegation with `keys delegate --hold`';

/** Makes the error for a checkpoint without a key: it names the online keys of a tree, and what they may sign. @param isHold - whether to stop issuers */
export async function missingOnlineKey(folder: string, isHold: boolean): Promise<KeyRejected> {
  const { text, mayHold } = await onlinePermission(folder);
  const advice = isHold && !mayHold ? `. ${WITHOUT_HOLDS}` : '';
  return new KeyRejected(
    `no key for the checkpoint: ${text}; pass --online-key FILE or --online-key env:NAME, or set checkpoint.signer, or signer for the root key, in registry.yaml${advice}`,
  );
}

/**
 * Finds out what the delegation of a tree permits, also if it has expired.
 *
 * @returns in words for people; and whether an online key may hold issuers: undefined if there is no tree, or if its delegation
 *   cannot be read
 */
export async function onlinePermission(folder: string) {
  const rootKey = (await readPublished(folder))?.rootKey;
  const bytes = readIfReadable(folder, PATHS.delegation);
  if (bytes === undefined || rootKey === undefined) {
    return {
      text: `${folder} has no delegation, so only the root key can sign a checkpoint (\`keys delegate\` makes a delegation)`,
      mayHold: rootKey === undefined ? undefined : false,
    };
  }
  try {
    const { keys, mayHold, expiresAt } = await verifyDelegation(bytes, rootKey, ANY_TIME);
    const names = keys.map(({ thumbprint }) => thumbprint).join(' or ');
    const holds = mayHold
      ? 'checkpoints and holds'
      : 'checkpoints, but no holds (`keys delegate --hold` makes a delegation that permits them)';
    const text = `the delegation in ${folder} lets ${names} sign ${holds} until ${formatUpdatedAt(expiresAt)}`;
    return { text, mayHold };
  } catch (error) {
    if (!(error instanceof RegistryError)) throw error;
    return { text: `the delegation in ${folder} is not valid: ${error.message}`, mayHold: undefined };
  }
}
