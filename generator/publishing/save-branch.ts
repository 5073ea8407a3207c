import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import {
  branchName,
  commitFolder,
  fetchedCommit,
  isPlainPath,
  pushCommit,
  type RemoteBranch,
  readCommit,
  remoteCommit,
} from '../files/remote-branch.js';
import { entriesBelow } from '../files/walk.js';
import { PATHS } from '../tree/paths.js';
import { assertFollows, type FollowOptions, LOAD_AGAIN } from './assert-follows.js';

/** How to save a tree. */
interface SaveOptions extends FollowOptions {
  /** The message of the commit. */
  readonly message: string;
}

/**
 * Commits a tree to a branch of a remote repository, on top of the commit that `branch load` has loaded. The commit is
 * pushed only if its tree is valid and follows the tree of the branch, so that no publication is undone.
 *
 * @returns the new commit, undefined if the branch has the same files; and warnings
 * @throws {@link UsageError} if the folder has no tree
 * @throws {@link TreeRejected} | {@link KeyRejected} | {@link RecordsRejected} if the tree does not follow
 * @throws {@link IoFailed} if the branch has another commit by now
 */
export async function saveBranch(folder: string, to: RemoteBranch, { message, ...options }: SaveOptions) {
  const paths = treePaths(folder);
  const parent = fetchedCommit(to);
  assertLoaded(parent, to);
  const commit = commitFolder({ folder, paths, parent, message }, to.repository);
  if (commit === undefined) return { commit, warnings: [] };
  const published =
    parent === undefined ? undefined : { files: readCommit(parent, to), name: branchName(to) };
  // The commit is read again: the tree that is verified is the tree that is pushed.
  const proposed = { files: readCommit(commit, to), name: folder };
  const warnings = await assertFollows(proposed, published, options);
  push(commit, parent, to);
  return { commit, warnings };
}

function treePaths(folder: string): string[] {
  // The first publication may be only in the log yet.
  if (![PATHS.list, PATHS.logHead].some((path) => existsSync(join(folder, path)))) {
    throw new UsageError(`there is no tree in ${folder}; make one with \`passport-registry build\``);
  }
  const entries = entriesBelow(folder).filter(({ kind }) => kind !== 'folder');
  const other = entries.find(({ kind, path }) => kind !== 'file' || !isPlainPath(path));
  if (other !== undefined) throw new UsageError(`${other.path} in ${folder} cannot be part of a tree`);
  return entries.map(({ path }) => path).sort();
}

/** A branch that was deleted is made again, on top of the commit that was loaded. */
function assertLoaded(parent: string | undefined, to: RemoteBranch): void {
  const now = remoteCommit(to);
  if (now === undefined || now === parent) return;
  const state =
    parent === undefined
      ? `${branchName(to)} was not loaded into this repository`
      : `${branchName(to)} has another publication, commit ${now}`;
  throw new IoFailed(`${state}. ${LOAD_AGAIN}`);
}

function push(commit: string, parent: string | undefined, to: RemoteBranch): void {
  try {
    pushCommit(commit, to);
  } catch (cause) {
    // Another publication may have come first since the comparison.
    assertLoaded(parent, to);
    const problem = `${to.remote} did not accept the commit: nothing was published`;
    throw new IoFailed(`${problem}. ${(cause as Error).message}`, { cause });
  }
}
