import { existsSync } from 'node:fs';
import { RegistryError } from '@passport-registry/verifier';
import { readList } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../errors.js';
import { repositoryAround, revisionsOf } from '../files/git.js';
import { checkRecords, type RecordSet, recordsOfList } from '../records/check-records.js';
import { collectRecordFiles, separateDiagnostics } from '../records/collect.js';
import { acceptPublication } from '../verification/accept.js';
import type { PinnedTrust } from '../verification/pinned-trust.js';
import { Problems, SeenFiles } from '../verification/seen-files.js';
import { checkSignature } from '../verification/tree-checks.js';
import { folderSource, httpSource } from '../verification/tree-source.js';
import { publishedAbout } from '../verification/verify-publication.js';
import { trustedRoot } from '../verification/verify-statements.js';
import { changedFiles } from './versions.js';

/** A limit that no list exceeds. */
const ANY_AGE_DAYS = Number.POSITIVE_INFINITY;

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
  const source = existsSync(where) ? folderSource(where) : httpSource(where);
  try {
    const files = new SeenFiles(source);
    const { rootKey } = await trustedRoot(files, pinned?.rootKey);
    const list = await checkSignature(files, rootKey);
    // A list of any age can be compared.
    if (pinned !== undefined)
      await acceptPublication(source, { trust: pinned, maxAgeDays: ANY_AGE_DAYS, accepted: [] });
    return recordsOfList(readList(list).issuers, await publishedAbout(files, rootKey, list));
  } catch (cause) {
    if (!(cause instanceof RegistryError || cause instanceof Problems || cause instanceof TreeRejected))
      throw cause;
    throw new TreeRejected(`${source.name} publishes no list to compare with: ${cause.message}`, { cause });
  }
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
