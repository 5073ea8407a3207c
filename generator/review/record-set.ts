import { existsSync } from 'node:fs';
import { type IssuerRegistry, RegistryError, type RootKey, readList } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import { repositoryAround, revisionsOf } from '../files/git.js';
import { checkRecords, type RecordSet, recordsOfList } from '../records/check-records.js';
import { collectRecordFiles, separateDiagnostics } from '../records/collect.js';
import { Problems, SeenFiles } from '../verification/seen-files.js';
import { checkRootKey, checkSignature } from '../verification/tree-checks.js';
import { folderSource, httpSource, type TreeSource } from '../verification/tree-source.js';
import { trustedRoot } from '../verification/verify-statements.js';
import { changedFiles } from './versions.js';

export type { RecordSet } from '../records/check-records.js';

/** The records of a folder. @throws {@link UsageError} | {@link IoFailed} */
export async function recordsInFolder(folder: string): Promise<RecordSet> {
  return checkRecords(collectRecordFiles([folder]));
}

/**
 * The records of a published list, which must be rightly signed.
 *
 * @param pinned - the root key; without it the tree's own, which shows no more than that the tree is consistent
 * @throws {@link TreeRejected}
 */
export async function recordsPublished(where: string, pinned: RootKey | undefined): Promise<RecordSet> {
  const source = existsSync(where) ? folderSource(where) : httpSource(where);
  return recordsOfList((await signedRegistry(source, pinned)).issuers);
}

async function signedRegistry(source: TreeSource, pinned: RootKey | undefined): Promise<IssuerRegistry> {
  try {
    const files = new SeenFiles(source);
    const { rootKey } = await trustedRoot(files, await checkRootKey(files), pinned);
    return readList(await checkSignature(files, rootKey));
  } catch (cause) {
    if (!(cause instanceof RegistryError || cause instanceof Problems)) throw cause;
    throw new TreeRejected(`${source.name} publishes no list to compare with: ${cause.message}`, { cause });
  }
}

/**
 * The records of two versions of a folder, as far as they differ.
 *
 * @param range - `A..B`, `A...B`, or `A` for what has changed since then
 * @param env - the environment that git is run in
 * @throws {@link UsageError} when there are no such commits
 */
export function recordsOfRevisions(
  range: string,
  folder: string,
  env: NodeJS.ProcessEnv,
): { before: RecordSet; after: RecordSet } {
  const repository = repositoryAround(folder, env);
  const { before, after } = changedFiles(revisionsOf(range, repository), folder, repository);
  const side = (outcomes: typeof before) => checkRecords(separateDiagnostics(outcomes));
  return { before: side(before), after: side(after) };
}
