import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { openRegistry } from '@passport-registry/verifier';
import { IoFailed, TreeRejected, UsageError } from '../errors.js';
import { readCommit } from '../files/commit-files.js';
import { withOutputFolder } from '../files/output-folder.js';
import { branchName, fetchBranch, type RemoteBranch } from '../files/remote-branch.js';
import { foldersOf } from '../files/walk.js';
import { PATHS } from '../tree/paths.js';
import { ANY_AGE_SECONDS } from '../verification/assert-client-accepts.js';
import { httpSource, memorySource, registryFiles, type TreeSource } from '../verification/tree-source.js';

/** What was loaded from the branch. */
export interface LoadedBranch {
  readonly commit: string;
  /** The number of files. */
  readonly files: number;
}

/**
 * Writes the published tree, which is the newest commit of a branch, into a new folder, byte by byte.
 *
 * @param baseUrl - the URL of the registry. If the branch does not exist, nothing must be published there. Otherwise the
 * list there must not be newer
 * @returns undefined if the branch does not exist, because nothing was published yet
 * @throws {@link UsageError} if the folder has files; {@link TreeRejected} | {@link IoFailed}
 */
export async function loadBranch(
  out: string,
  from: RemoteBranch,
  baseUrl: string | undefined,
): Promise<LoadedBranch | undefined> {
  return withOutputFolder(out, async ({ out: folder, staging }) => {
    if (existsSync(folder) && readdirSync(folder).length > 0) {
      throw new UsageError(`${out} has files in it: remove the folder, or name another one`);
    }
    const commit = fetchBranch(from);
    if (commit === undefined) {
      await assertNothingPublished(from, baseUrl);
      return undefined;
    }
    const files = readCommit(commit, from);
    await assertNotPutBack(files, from, baseUrl);
    const staged = join(staging, 'tree');
    writeFiles(staged, files);
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(staged, folder);
    return { commit, files: files.size };
  });
}

/**
 * Without the published list, a build cannot compare its records with that list. So a branch that has been deleted must
 * not look like a registry that has never published: only a host that has no list shows that.
 */
async function assertNothingPublished(from: RemoteBranch, baseUrl: string | undefined): Promise<void> {
  if (baseUrl === undefined) return;
  const missing = `there is no ${branchName(from)}`;
  const published = await httpSource(baseUrl)
    .get(PATHS.list)
    .catch((cause: Error) => {
      throw new IoFailed(
        `${missing}, and ${baseUrl} does not show whether a list was published: ${cause.message}. If none ever was, build ` +
          'and save without `branch load`. Otherwise restore the branch',
        { cause },
      );
    });
  if (published === undefined) return;
  throw new IoFailed(`${missing}, but ${baseUrl} serves a list: restore the branch from a copy of the tree`);
}

/**
 * Asserts that the list on the branch is not older than the live list. Somebody who can push could otherwise put an old
 * list back on the branch, and the next checkpoint would confirm that list. A host that is unreachable, or that serves
 * nothing that verifies, does not stop a publication.
 */
async function assertNotPutBack(
  files: ReadonlyMap<string, Uint8Array>,
  from: RemoteBranch,
  baseUrl: string | undefined,
): Promise<void> {
  if (baseUrl === undefined) return;
  const open = async (source: TreeSource) => {
    const rootKey = JSON.parse(new TextDecoder().decode(files.get(PATHS.rootKey)));
    return openRegistry(registryFiles(source), { rootKey, maxAge: ANY_AGE_SECONDS });
  };
  const both = [open(memorySource(files)), open(httpSource(baseUrl))];
  const [saved, live] = await Promise.all(both.map((one) => one.catch(() => undefined)));
  if (saved === undefined || live === undefined || live.updatedAt <= saved.updatedAt) return;
  throw new TreeRejected(
    `the list on ${branchName(from)} is of ${saved.updatedAt}, but ${baseUrl} serves the list of ${live.updatedAt}: find out ` +
      'who put the branch back, and restore its newest commit',
  );
}

function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder, { recursive: true });
  for (const path of foldersOf(files.keys())) {
    mkdirSync(join(folder, dirname(`${path}x`)), { recursive: true });
  }
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes, { flag: 'wx' });
}
