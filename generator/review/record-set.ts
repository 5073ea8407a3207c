import { existsSync } from 'node:fs';
import { type IssuerRegistry, RegistryError, type RootKey, readList } from '@passport-registry/verifier';
import { TreeRejected } from '../errors.js';
import { repositoryAround, revisionsOf } from '../files/git.js';
import { checkRecords, type RecordSet, recordsOfList } from '../records/check-records.js';
import { collectRecordFiles, separateDiagnostics } from '../records/collect.js';
import { PATHS } from '../tree/paths.js';
import type { PinnedTrust } from '../verification/pinned-trust.js';
import { Problems, SeenFiles } from '../verification/seen-files.js';
import { checkRootKey, checkSignature } from '../verification/tree-checks.js';
import { folderSource, httpSource, type TreeSource } from '../verification/tree-source.js';
import { checkPublication } from '../verification/verify-publication.js';
import {
  checkCheckpoint,
  checkFreshness,
  type SignedList,
  trustedRoot,
} from '../verification/verify-statements.js';
import { changedFiles } from './versions.js';

export type { RecordSet } from '../records/check-records.js';

/** Reads the records in some files and folders. @throws {@link UsageError} | {@link IoFailed} */
export function recordsIn(paths: readonly string[]): RecordSet {
  return checkRecords(collectRecordFiles(paths));
}

/**
 * Reads the records of a published list, and verifies its signature, and its checkpoint if the trust requires one.
 *
 * @param pinned - default: the tree's own key, which shows only that the tree is consistent
 * @throws {@link TreeRejected}
 */
export async function recordsPublished(where: string, pinned: PinnedTrust | undefined): Promise<RecordSet> {
  const source = existsSync(where) ? folderSource(where) : httpSource(where);
  return recordsOfList((await signedRegistry(source, pinned)).issuers);
}

async function signedRegistry(source: TreeSource, pinned: PinnedTrust | undefined): Promise<IssuerRegistry> {
  try {
    const files = new SeenFiles(source);
    const { rootKey } = await trustedRoot(files, await checkRootKey(files), pinned?.rootKey);
    const list = await checkSignature(files, rootKey);
    const registry = readList(list);
    if (pinned?.requirePublication) await checkPublication(files, rootKey, { list, registry });
    if (pinned?.requireCheckpoint) await assertFresh(files, rootKey, { list, registry });
    return registry;
  } catch (cause) {
    if (!(cause instanceof RegistryError || cause instanceof Problems)) throw cause;
    throw new TreeRejected(`${source.name} publishes no list to compare with: ${cause.message}`, { cause });
  }
}

/** Asserts that a valid checkpoint names the list. */
async function assertFresh(files: SeenFiles, rootKey: RootKey, signed: SignedList): Promise<void> {
  const stated = await files.get(PATHS.publication);
  const publication = stated && (await checkPublication(files, rootKey, signed));
  const checkpoint = await checkCheckpoint(files, rootKey, { ...signed, publication: publication?.content });
  const noAge = { maxAgeMs: Number.POSITIVE_INFINITY, now: Date.now() };
  await checkFreshness(files, {
    ...signed,
    rotation: undefined,
    delegation: undefined,
    publication: publication?.statement,
    checkpoint,
    ...noAge,
  });
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
