import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import { readCommit } from '../files/commit-files.js';
import { withOutputFolder } from '../files/output-folder.js';
import { fetchBranch, type RemoteBranch } from '../files/remote-branch.js';
import { foldersOf } from '../files/walk.js';
import { PATHS } from '../tree/paths.js';
import { httpSource } from '../verification/tree-source.js';

/** What was loaded from the branch. */
export interface LoadedBranch {
  readonly commit: string;
  /** The number of files. */
  readonly files: number;
}

/**
 * Writes the published tree, which is the newest commit of a branch, into a new folder, byte by byte.
 *
 * @param baseUrl - the URL of the registry. If the branch does not exist, nothing must be published there
 * @returns undefined if the branch does not exist, because nothing was published yet
 * @throws {@link UsageError} if the folder has files; {@link IoFailed}
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
    const staged = join(staging, 'tree');
    writeFiles(staged, files);
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(staged, folder);
    return { commit, files: files.size };
  });
}

/**
 * Without the published list, a build cannot compare its records with that list. So a branch that has been deleted must
 * not look like a registry that has never published.
 */
async function assertNothingPublished({ remote, branch }: RemoteBranch, baseUrl?: string): Promise<void> {
  if (baseUrl === undefined) return;
  const published = await httpSource(baseUrl)
    .get(PATHS.list)
    .catch(() => undefined);
  if (published === undefined) return;
  throw new IoFailed(
    `${remote} has no branch ${branch}, but ${baseUrl} serves a list: restore the branch from a copy of the tree`,
  );
}

function writeFiles(folder: string, files: ReadonlyMap<string, Uint8Array>): void {
  mkdirSync(folder, { recursive: true });
  for (const path of foldersOf(files.keys())) {
    mkdirSync(join(folder, dirname(`${path}x`)), { recursive: true });
  }
  for (const [path, bytes] of files) writeFileSync(join(folder, path), bytes, { flag: 'wx' });
}
