import { readList } from '@passport-registry/verifier/core';
import { IoFailed } from '../errors.js';
import { repositoryAround, revisionsOf } from '../files/git.js';
import { checkRecords, type RecordSet, recordsOfList } from '../records/check-records.js';
import { collectRecordFiles, separateDiagnostics } from '../records/collect.js';
import { verifyAnyAge } from '../verification/accept.js';
import { publishedAbout } from '../verification/check-publication.js';
import { trustedRoot } from '../verification/check-statements.js';
import { checkSignature } from '../verification/file-checks.js';
import type { PinnedTrust } from '../verification/pinned-trust.js';
import { rejecting, SeenFiles } from '../verification/seen-files.js';
import { sourceOf } from '../verification/tree-source.js';
import { changedFiles } from './versions.js';

/** Reads the records in some files and folders. @throws {@link UsageError} | {@link IoFailed} */
export function recordsIn(paths: readonly string[]): RecordSet {
  return checkRecords(collectRecordFiles(paths));
}

/**
 * Reads the records of a published list, with their names and reasons, and verifies its signature, and everything else that a trust anchor demands.
 *
 * @param pinned - default: the tree's own key, which shows only that the tree is consistent
 * @throws {@link TreeRejected}
 */
export async function recordsPublished(where: string, pinned: PinnedTrust | undefined): Promise<RecordSet> {
  const source = sourceOf(where);
  const read = async () => {
    const files = new SeenFiles(source);
    const { rootKey } = await trustedRoot(files, pinned?.rootKey);
    const list = await checkSignature(files, rootKey);
    if (pinned !== undefined) await verifyAnyAge(files, pinned);
    return recordsOfList(readList(list).issuers, await publishedAbout(files, rootKey, list));
  };
  return rejecting(read, `${source.name} publishes no list to compare with: `);
}

/**
 * Reads the records that differ between two versions of a folder.
 *
 * @param range - `A..B`, `A...B`, or `A` for the changes from commit A to the files in the folder
 * @param env - the environment for git
 * @throws {@link UsageError} if the commits do not exist
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
