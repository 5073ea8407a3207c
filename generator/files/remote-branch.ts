import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import { type Repository, readObjects, treeEntries } from './git.js';
import { askGit, asObjectId, git } from './run-git.js';

/** A branch of a remote repository, as seen from a local one. {@link remoteBranch} checks the names. */
export interface RemoteBranch {
  readonly repository: Repository;
  /** The name or URL of the remote repository. */
  readonly remote: string;
  readonly branch: string;
}

/** The name of the branch in messages. */
export function branchName({ remote, branch }: RemoteBranch): string {
  return `branch ${branch} of ${remote}`;
}

/** Names a branch of a remote repository. @throws {@link UsageError} if a name is not permitted */
export function remoteBranch(names: RemoteBranch): RemoteBranch {
  const { repository, remote, branch } = names;
  // git would read such a name as an option.
  if (remote === '' || remote.startsWith('-')) throw new UsageError(`${remote} is not a remote repository`);
  // All rules of git are about other characters. Most commands need no process for this.
  if (/^\w[\w-]*$/.test(branch)) return names;
  try {
    git(['check-ref-format', `refs/heads/${branch}`], repository);
  } catch (cause) {
    throw new UsageError(`${branch} is not the name of a branch`, { cause });
  }
  return names;
}

/** A commit to make: the files of a folder, and nothing else. */
interface FolderCommit {
  readonly folder: string;
  /** The paths of the files, relative to the folder. */
  readonly paths: readonly string[];
  readonly parent: string | undefined;
  readonly message: string;
}

/** The author of the commits, so that git needs no configuration. */
const AUTHOR = ['-c', 'user.name=passport-registry', '-c', 'user.email=passport-registry@localhost'];

/**
 * Fetches a branch, and remembers its commit in this repository for {@link fetchedCommit}.
 *
 * @returns the commit; undefined if the remote repository has no such branch
 * @throws {@link IoFailed} if the remote repository cannot be read
 */
export function fetchBranch(from: RemoteBranch): string | undefined {
  const { repository, remote, branch } = from;
  const head = headOf(branch);
  if (remoteCommit(from) === undefined) {
    git(['update-ref', '-d', refOf(branch)], repository);
    return undefined;
  }
  // A shallow repository, as in a workflow, needs only the newest commit.
  const shallow = git(['rev-parse', '--is-shallow-repository'], repository).toString().trim() === 'true';
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-recurse-submodules'];
  const depth = shallow ? ['--depth=1'] : [];
  git(['fetch', ...options, ...depth, remote, `+${head}:${refOf(branch)}`], repository);
  return fetchedCommit(from);
}

/**
 * Asks the remote repository for the commit of the branch now.
 *
 * @returns undefined if the remote repository has no such branch
 * @throws {@link IoFailed} if the remote repository cannot be read
 */
export function remoteCommit({ repository, remote, branch }: RemoteBranch): string | undefined {
  const head = headOf(branch);
  const lines = git(['ls-remote', remote, head], repository).toString().split('\n');
  const line = lines.find((one) => one.endsWith(`\t${head}`));
  return line === undefined ? undefined : asObjectId(line.slice(0, line.indexOf('\t')));
}

/** The commit of the branch when it was last fetched or pushed; undefined if the branch did not exist then. */
export function fetchedCommit({ repository, branch }: RemoteBranch): string | undefined {
  const listed = git(['for-each-ref', '--format=%(objectname)', refOf(branch)], repository);
  const id = listed.toString().trim();
  return id === '' ? undefined : asObjectId(id);
}

/** The branch that holds the published tree, unless a command names another one. */
export const PUBLISHED_BRANCH = 'published';

/** Where this repository knows a branch with a published tree, without asking the remote repository. */
export function knownBranches(
  repository: Pick<Repository, 'top' | 'env'>,
): { readonly ref: string; readonly commit: string }[] {
  const places = [
    'refs/passport-registry/',
    `refs/heads/${PUBLISHED_BRANCH}`,
    `refs/remotes/*/${PUBLISHED_BRANCH}`,
  ];
  const listed = git(['for-each-ref', '--format=%(objectname) %(refname)', ...places], repository);
  return [...listed.toString().matchAll(/^(\S+) (.+)$/gm)].map(([, id = '', ref = '']) => ({
    ref,
    commit: asObjectId(id),
  }));
}

/** Whether git knows a branch with a published tree. False if git cannot be asked. */
export function knowsBranch(folder: string, env: NodeJS.ProcessEnv): boolean {
  return (askGit(() => knownBranches({ top: folder, env })) ?? []).length > 0;
}

/** Reads one file of a commit. @throws {@link IoFailed} if the commit has no such file */
export function readFromCommit(commit: string, path: string, repository: Repository): Buffer {
  return git(['cat-file', 'blob', `${asObjectId(commit)}:${path}`], repository);
}

/**
 * Commits the files of a folder, byte by byte: filters and attributes do not apply. The working tree and the index stay
 * as they are.
 *
 * @returns the new commit; undefined if the parent has the same files
 */
export function commitFolder(commit: FolderCommit, repository: Repository): string | undefined {
  const { folder, paths, parent, message } = commit;
  const files = paths.map((path) => `${resolve(folder, path)}\n`).join('');
  const ids = git(['hash-object', '-w', '--no-filters', '--stdin-paths'], repository, files);
  const entries = ids.toString().trimEnd().split('\n');
  if (entries.length !== paths.length) throw new IoFailed('git did not store every file');
  const temporary = mkdtempSync(join(tmpdir(), 'passport-registry-index-'));
  try {
    const own = { ...repository, index: join(temporary, 'index') };
    const info = entries.map((id, at) => `100644 ${asObjectId(id)}\t${paths[at]}\0`).join('');
    git(['update-index', '-z', '--index-info'], own, info);
    const tree = asObjectId(git(['write-tree'], own).toString().trim());
    if (parent !== undefined && treeOf(parent, repository) === tree) return undefined;
    const parents = parent === undefined ? [] : ['-p', parent];
    const made = git([...AUTHOR, 'commit-tree', tree, ...parents, '-F', '-'], repository, `${message}\n`);
    return asObjectId(made.toString().trim());
  } finally {
    rmSync(temporary, { recursive: true, force: true });
  }
}

/**
 * Pushes a commit, and never by force: the remote repository refuses the commit if its branch has another commit than
 * the parent.
 *
 * @throws {@link IoFailed}
 */
export function pushCommit(commit: string, to: RemoteBranch): void {
  const { repository, remote, branch } = to;
  git(['push', '--quiet', '--no-follow-tags', remote, `${commit}:${headOf(branch)}`], repository);
  git(['update-ref', refOf(branch), commit], repository);
}

function treeOf(commit: string, repository: Repository): string {
  const tree = git(['rev-parse', '--verify', '--end-of-options', `${commit}^{tree}`], repository);
  return asObjectId(tree.toString().trim());
}

const headOf = (branch: string) => `refs/heads/${branch}`;

/** The local name of the fetched commit. It is neither a branch nor a tag, so that no other command shows or pushes it. */
const refOf = (branch: string) => `refs/passport-registry/${branch}`;

/**
 * Reads all files of a commit of a branch into memory, byte by byte, without a checkout.
 *
 * @returns the bytes by path
 * @throws {@link IoFailed} if the commit has anything but regular files, at paths below a folder
 */
export function readCommit(commit: string, { repository, branch }: RemoteBranch): Map<string, Buffer> {
  const entries = treeEntries(commit, { ...repository, prefix: '' });
  const other = entries.find(({ kind, path }) => kind !== 'file' || !isPlainPath(path));
  if (other !== undefined) throw new IoFailed(`the branch ${branch} is not a tree: it has ${other.path}`);
  const objects = readObjects(
    entries.map(({ id }) => id),
    Number.POSITIVE_INFINITY,
    repository,
  );
  return new Map(
    entries.map(({ path, id }) => {
      const bytes = objects.get(id);
      if (!(bytes instanceof Buffer)) throw new IoFailed(`git has no content for ${path}`);
      return [path, bytes];
    }),
  );
}

/** Whether a path stays below a folder on every system, and is not git's own. */
export function isPlainPath(path: string): boolean {
  const names = path.split('/');
  return (
    !/[\\\n\r]/.test(path) && names.every((name) => !['', '.', '..', '.git'].includes(name.toLowerCase()))
  );
}
