import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import { askGit, asObjectId, type GitFolder, git, LITERAL, splitFields } from './run-git.js';

/** A folder of records, with the git repository that contains the folder. */
export interface Repository extends GitFolder {
  /** The path of the records relative to `top`, with slashes, also at the end. Empty if `top` itself is the folder. */
  readonly prefix: string;
}

/** Two versions of the records, as commits. Without `after`, the second version is the folder itself. */
export interface Revisions {
  readonly before: string;
  readonly after: string | undefined;
}

/** A file of a commit. The path is relative to the folder of the records. */
interface TreeEntry {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  /** The id of the git object with the bytes of the file. */
  readonly id: string;
}

/**
 * Finds the repository that contains a folder. git itself is not asked: it would first look inside the folder, where a
 * pull request could have put another repository.
 *
 * @throws {@link UsageError} if there is no repository, or if the path goes through a symbolic link, which git does not follow
 */
export function repositoryAround(folder: string, env: NodeJS.ProcessEnv): Repository {
  const records = resolve(folder);
  const top = workTreeAround(records);
  if (top === undefined) throw new UsageError(`${folder} is not in a git repository`);
  const path = relative(top, records);
  const real = realPath(records);
  if (real !== join(realPath(top), path)) {
    throw new UsageError(
      `${folder} is reached through a symbolic link, which git does not follow: use ${real}`,
    );
  }
  return { top, prefix: path === '' ? '' : `${path.split(sep).join('/')}/`, env };
}

/** Returns the top folder of the git work tree that contains a folder; undefined if there is none. */
export function workTreeAround(folder: string): string | undefined {
  for (let top = resolve(folder); ; top = dirname(top)) {
    if (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) !== undefined) return top;
    if (top === dirname(top)) return undefined;
  }
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Resolves `A..B`, `A...B` (the changes of B since the merge base) or `A` to commits.
 *
 * @throws {@link UsageError} if a commit does not exist
 */
export function revisionsOf(range: string, repository: Repository): Revisions {
  const [, first = '', dots = '', second = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(range) ?? [];
  if (dots === '') return { before: commitOf(range, repository), after: undefined };
  const [before, after] = [commitOf(first || 'HEAD', repository), commitOf(second || 'HEAD', repository)];
  if (dots === '..') return { before, after };
  return { before: git(['merge-base', before, after], repository).toString().trim(), after };
}

function commitOf(revision: string, repository: Repository): string {
  // git would read such a revision as an option.
  if (revision.startsWith('-')) throw new UsageError(`${revision} is not a commit`);
  const args = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  try {
    return asObjectId(git(args, repository).toString().trim());
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** The e-mail address that the user has configured for git; undefined if there is none, or no git. */
export function configuredEmail(env: NodeJS.ProcessEnv): string | undefined {
  return askGit(() => git(['config', '--get', 'user.email'], { top: '.', env }).toString().trim());
}

/** What git does with a file in a repository: `unknown` if git cannot be asked, because it is not installed or fails. */
type GitFate = 'ignored' | 'committed' | 'unknown';

/** Asks git whether it ignores a file, which need not exist yet. Undefined if the file is in no repository. */
export function gitFate(file: string, env: NodeJS.ProcessEnv): GitFate | undefined {
  const repository = askGit(() => repositoryAround(dirname(file), env));
  if (repository === undefined) return undefined;
  const answers = (...args: string[]) => askGit(() => git(args, repository)) !== undefined;
  if (!answers('rev-parse', '--is-inside-work-tree')) return 'unknown';
  const path = `./${repository.prefix}${basename(file)}`;
  return answers('check-ignore', '--quiet', '--', path) ? 'ignored' : 'committed';
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
  '160000': 'submodule',
};

/**
 * Lists everything that a commit contains below the folder of the records.
 *
 * @throws {@link UsageError} if the folder is a link, a submodule or a file in the commit
 */
export function treeEntries(commit: string, repository: Repository): TreeEntry[] {
  const { prefix } = repository;
  const within = prefix === '' ? [] : ['--', prefix.slice(0, -1)];
  const listing = git([...LITERAL, 'ls-tree', '-r', '-z', '--full-tree', commit, ...within], repository);
  return splitFields(listing).map((line) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) [a-z]+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (!path.startsWith(prefix)) {
      throw new UsageError(
        `${path} is not a folder in ${commit}: it is a symbolic link, a submodule or a file`,
      );
    }
    return { path: path.slice(prefix.length), kind: KINDS[mode] ?? 'file', id: asObjectId(id) };
  });
}

/**
 * Reads objects by their ids, each once. For an object that exceeds the limit, the result contains the size instead of
 * the bytes. git receives only ids, never paths, so no file name can disturb the output of git.
 */
export function readObjects(
  ids: Iterable<string>,
  limit: number,
  repository: Repository,
): Map<string, Uint8Array | number> {
  const objects = new Map<string, Uint8Array | number>();
  const wanted = [...new Set(ids)];
  if (wanted.length === 0) return objects;
  if (limit < Number.POSITIVE_INFINITY) {
    const lines = git(['cat-file', '--batch-check'], repository, toLines(wanted)).toString().trimEnd();
    for (const [id, size] of lines.split('\n').map(blobIn)) if (size > limit) objects.set(id, size);
  }
  const small = wanted.filter((id) => !objects.has(id));
  const output = git(['cat-file', '--batch'], repository, toLines(small));
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [id, size] = blobIn(output.toString('latin1', at, end));
    objects.set(id, output.subarray(end + 1, end + 1 + size));
    at = end + 1 + size + 1;
  }
  return objects;
}

/** Reads what `git cat-file` says of an object. Returns its id and its size. */
function blobIn(line: string): [id: string, size: number] {
  const [, id, size] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
  if (id === undefined) throw new IoFailed(`git cannot find a file: ${line}`);
  return [id, Number(size)];
}

function toLines(ids: Iterable<string>): string {
  return [...ids].map((id) => `${asObjectId(id)}\n`).join('');
}
