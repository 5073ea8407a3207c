import type { RootKey } from '@passport-registry/verifier';
import { ANY_TIME, parseStatementsFile, verifyPublicationStatement } from '@passport-registry/verifier/core';
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
    const stated = await statedLogIn(files, pinned);
    const isLogged = (await files.get(PATHS.logHead)) !== undefined || stated.statement?.log !== undefined;
    if (isLogged) return checkLog(files, stated, known);
    if (known.head === undefined) return undefined;
    throw new Problems([`the tree has no log, but the log ${known.head.origin} was accepted before`]);
  });
}

async function statedLogIn(files: SeenFiles, pinned: RootKey | undefined): Promise<StatedLog> {
  const { rootKey } = await trustedRoot(files, pinned);
  // The first publication may be only in the log yet.
  const bytes = await files.get(PATHS.statements);
  if (bytes === undefined) return { roots: { keys: [rootKey] }, statement: undefined, statements: undefined };
  const statements = parseStatementsFile(bytes);
  const roots = await checkRotation(statements, rootKey, pinned);
  const statement = await verifyPublicationStatement(statements.publication, rootKey, ANY_TIME);
  return { roots, statement, statements };
}
