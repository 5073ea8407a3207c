import type { RootKey } from '@passport-registry/verifier';
import { SharedKeyRejected } from '../errors.js';
import { type HeldBy, type VerifyHolders, verifyHoldersOf } from '../tree/held-by.js';
import { PATHS } from '../tree/paths.js';
import { Problems, type SeenFiles } from './seen-files.js';

/**
 * Checks the record of the ceremony that made the root key: the keys of the holders made this key, and each of them has
 * signed a receipt. The record cannot prove who the holders are.
 */
export async function checkHolders(
  files: SeenFiles,
  rootKey: RootKey,
  verify: VerifyHolders,
): Promise<HeldBy> {
  const record = await files.require(PATHS.holders);
  try {
    const named = { bytes: record, source: PATHS.holders };
    const { threshold, names, split } = await verifyHoldersOf(rootKey, named, verify);
    return { threshold, names, split };
  } catch (error) {
    if (error instanceof SharedKeyRejected) throw new Problems([error.message]);
    throw error;
  }
}
