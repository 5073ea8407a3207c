import { existsSync, mkdirSync, readdirSync, renameSync, rmdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import { readObjects, type TreeEntry, treeEntries } from '../files/git.js';
import { withOutputFolder } from '../files/output-folder.js';
import {
  commitFolder,
  fetchBranch,
  fetchedCommit,
  pushCommit,
  type RemoteBranch,
} from '../files/remote-branch.js';
import { entriesBelow, foldersOf } from '../files/walk.js';
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
    const entries = treeEntries(commit, { ...from.repository, prefix: '' });
    const staged = join(staging, 'tree');
    writeEntries(staged, assertPlainFiles(entries, from.branch), from);
    if (existsSync(folder)) rmdirSync(folder);
    renameSync(staged, folder);
    return { commit, files: entries.length };
  });
}

/**
 * Commits a tree to a branch of a remote repository, on top of the commit that {@link loadBranch} has loaded.
 *
 * @returns the new commit; undefined if the branch has the same files
 * @throws {@link UsageError} if the folder has no tree; {@link IoFailed} if the branch has another commit by now
 */
export function saveBranch(folder: string, to: RemoteBranch, message: string): string | undefined {
  if (!existsSync(join(folder, PATHS.list))) {
    throw new UsageError(`there is no tree in ${folder}; make one with \`passport-registry build\``);
  }
  const entries = entriesBelow(folder).filter(({ kind }) => kind !== 'folder');
  const other = entries.find(({ kind, path }) => kind !== 'file' || !isPlainPath(path));
  if (other !== undefined) throw new UsageError(`${other.path} in ${folder} cannot be part of a tree`);
  const paths = entries.map(({ path }) => path).sort();
  const parent = fetchedCommit(to);
  const commit = commitFolder({ folder, paths, parent, message }, to.repository);
  if (commit === undefined) return undefined;
  try {
    pushCommit(commit, to);
  } catch (cause) {
    const advice = 'if there was another publication, load the branch and build again';
    throw new IoFailed(`${(cause as Error).message}; nothing was published: ${advice}`, { cause });
  }
  return commit;
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

/** Asserts that the branch has only regular files, at paths below the folder. */
function assertPlainFiles(entries: readonly TreeEntry[], branch: string): readonly TreeEntry[] {
  const other = entries.find(({ kind, path }) => kind !== 'file' || !isPlainPath(path));
  if (other !== undefined) throw new IoFailed(`the branch ${branch} is not a tree: it has ${other.path}`);
  return entries;
}

function isPlainPath(path: string): boolean {
  const names = path.split('/');
  return (
    !/[\\\n\r]/.test(path) && names.every((name) => !['', '.', '..', '.git'].includes(name.toLowerCase()))
  );
}

function writeEntries(folder: string, entries: readonly TreeEntry[], { repository }: RemoteBranch): void {
  const objects = readObjects(
    entries.map(({ id }) => id),
    Number.POSITIVE_INFINITY,
    repository,
  );
  mkdirSync(folder, { recursive: true });
  for (const path of foldersOf(entries.map((entry) => entry.path))) {
    mkdirSync(join(folder, dirname(`${path}x`)), { recursive: true });
  }
  for (const { path, id } of entries) {
    const bytes = objects.get(id);
    if (!(bytes instanceof Uint8Array)) throw new IoFailed(`git has no content for ${path}`);
    writeFileSync(join(folder, path), bytes, { flag: 'wx' });
  }
}
