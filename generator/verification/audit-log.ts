import type { RootKey } from '@passport-registry/verifier';
import { ANY_TIME, namesLog, verifyPublicationStatement } from '@passport-registry/verifier/core';
import { PATHS } from '../tree/paths.js';
import { type AcceptedLog, type CheckedLog, checkLog, type StatedLog } from './check-log.js';
import { checkRotation, trustedRoot } from './check-statements.js';
import { Problems, rejecting, SeenFiles } from './seen-files.js';
import type { TreeSource } from './tree-source.js';

/**
 * Verifies the small files of a tree that decide about its log: the rotation from the pinned root key, and the publication
 * statement. Nothing is too old here: a log is consistent or not, whatever the time.
 *
 * @param pinned - default: the tree's own key
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export function readStatedLog(source: TreeSource, pinned?: RootKey): Promise<StatedLog> {
  return rejecting(() => statedLogIn(new SeenFiles(source), pinned));
}

/**
 * Verifies the log of a tree.
 *
 * @param known - what is known of the log from before
 * @returns undefined if the registry has no log
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export function auditLog(
  source: TreeSource,
  pinned?: RootKey,
  known: AcceptedLog = {},
): Promise<CheckedLog | undefined> {
  return rejecting(async () => {
    const files = new SeenFiles(source);
    const isLogged =
      (await files.get(PATHS.logHead)) !== undefined || (await namesLog(await files.get(PATHS.publication)));
    if (isLogged) return checkLog(files, await statedLogIn(files, pinned), known);
    if (known.head === undefined) return undefined;
    throw new Problems([`the tree has no log, but the log ${known.head.origin} was accepted before`]);
  });
}

async function statedLogIn(files: SeenFiles, pinned: RootKey | undefined): Promise<StatedLog> {
  const { rootKey } = await trustedRoot(files, pinned);
  const roots = await checkRotation(files, rootKey, pinned);
  const bytes = await files.get(PATHS.publication);
  return { roots, statement: bytes && (await verifyPublicationStatement(bytes, rootKey, ANY_TIME)) };
}
