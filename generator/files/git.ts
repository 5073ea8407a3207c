import { spawnSync } from 'node:child_process';
import { lstatSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve, sep } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';

/** A folder of records, and the git repository around it. */
export interface Repository {
  /** The top folder of its working tree: where git is run. */
  readonly top: string;
  /** The path of the records from there, with slashes, ending in one; empty where the top folder itself holds them. */
  readonly prefix: string;
  /** The environment that git is run in, but for what it says to git. */
  readonly env: NodeJS.ProcessEnv;
}

/** Two versions of the records, as commits; without `after` it is the folder itself. */
export interface Revisions {
  readonly before: string;
  readonly after: string | undefined;
}

/** A file of a commit. Its path is from the folder of the records. */
export interface TreeEntry {
  readonly path: string;
  readonly kind: 'file' | 'link' | 'submodule';
  /** The object with its bytes. */
  readonly id: string;
}

/** A file whose versions differ between a commit and its parents. Its path is from the folder of the records. */
export interface TreeChange {
  readonly path: string;
  /** The objects in the parents, and in the commit; undefined where there is not a regular file. */
  readonly before: readonly (string | undefined)[];
  readonly after: string | undefined;
}

/** A commit that changes files of the folder. */
export interface CommitChanges {
  readonly commit: string;
  /** RFC 3339. */
  readonly at: string;
  readonly author: string;
  readonly subject: string;
  readonly changes: readonly TreeChange[];
}

/**
 * The repository around a folder. git itself would look into the folder first, where a pull request can put a repository.
 *
 * @throws {@link UsageError} when there is none, or the folder is reached by a symbolic link, which git does not follow
 */
export function repositoryAround(folder: string, env: NodeJS.ProcessEnv): Repository {
  const records = resolve(folder);
  let top = records;
  while (lstatSync(join(top, '.git'), { throwIfNoEntry: false }) === undefined) {
    if (top === dirname(top)) throw new UsageError(`${folder} is not in a git repository`);
    top = dirname(top);
  }
  const path = relative(top, records);
  const real = realPath(records);
  if (real !== join(realPath(top), path)) {
    throw new UsageError(
      `${folder} is reached through a symbolic link, which git does not follow: use ${real}`,
    );
  }
  return { top, prefix: path === '' ? '' : `${path.split(sep).join('/')}/`, env };
}

function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch (cause) {
    throw new UsageError(`${path} cannot be read: ${(cause as Error).message}`, { cause });
  }
}

/**
 * Reads `A..B`, `A...B` (what B changes since the two parted) or `A` as commits.
 *
 * @throws {@link UsageError} when there is no such commit
 */
export function revisionsOf(range: string, repository: Repository): Revisions {
  const [, first = '', dots = '', second = ''] = /^(.*?)(\.{2,3})(.*)$/s.exec(range) ?? [];
  if (dots === '') return { before: commitOf(range, repository), after: undefined };
  const [before, after] = [commitOf(first || 'HEAD', repository), commitOf(second || 'HEAD', repository)];
  if (dots === '..') return { before, after };
  return { before: git(['merge-base', before, after], repository).toString().trim(), after };
}

function commitOf(revision: string, repository: Repository): string {
  // A revision that looks like an option would be one.
  if (revision.startsWith('-')) throw new UsageError(`${revision} is not a commit`);
  const question = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  try {
    return objectId(git(question, repository).toString().trim());
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** Whether a file is, or would be, in a git repository that does not ignore it. */
export function wouldBeCommitted(file: string, env: NodeJS.ProcessEnv): boolean {
  let repository: Repository;
  try {
    repository = repositoryAround(dirname(file), env);
  } catch {
    return false;
  }
  try {
    git(['check-ignore', '--quiet', '--', `./${repository.prefix}${basename(file)}`], repository);
    return false;
  } catch {
    return true;
  }
}

const KINDS: Readonly<Record<string, TreeEntry['kind']>> = {
  '100644': 'file',
  '100755': 'file',
  '120000': 'link',
  '160000': 'submodule',
};

/**
 * Everything that a commit has below the folder of the records.
 *
 * @throws {@link UsageError} when the commit has something else in the place of the folder
 */
export function treeEntries(commit: string, repository: Repository): TreeEntry[] {
  const { prefix } = repository;
  const within = prefix === '' ? [] : ['--', prefix.slice(0, -1)];
  const listing = git([...LITERAL, 'ls-tree', '-r', '-z', '--full-tree', commit, ...within], repository);
  return fieldsOf(listing).map((line) => {
    const [, mode = '', id = '', path = ''] = /^(\d+) [a-z]+ ([0-9a-f]+)\t(.*)$/s.exec(line) ?? [];
    if (!path.startsWith(prefix)) {
      throw new UsageError(
        `${path} is not a folder in ${commit}: it is a symbolic link, a submodule or a file`,
      );
    }
    return { path: path.slice(prefix.length), kind: KINDS[mode] ?? 'file', id: objectId(id) };
  });
}

/**
 * The bytes of objects by their ids, each once; for an object that is larger than the limit its size. Only ids go to git, and
 * never a path: no name can shift its answers.
 */
export function readObjects(
  ids: Iterable<string>,
  limit: number,
  repository: Repository,
): Map<string, Uint8Array | number> {
  const objects = new Map<string, Uint8Array | number>();
  const wanted = linesFor(ids);
  if (wanted === '') return objects;
  const small: string[] = [];
  for (const line of git(['cat-file', '--batch-check'], repository, wanted).toString().split('\n')) {
    if (line === '') continue;
    const [, id = '', size = ''] = /^([0-9a-f]+) blob (\d+)$/.exec(line) ?? [];
    if (id === '') throw new IoFailed(`git has no file for ${line}`);
    if (Number(size) > limit) objects.set(id, Number(size));
    else small.push(id);
  }
  const output = git(['cat-file', '--batch'], repository, linesFor(small));
  for (let at = 0; at < output.length; ) {
    const end = output.indexOf('\n', at);
    const [id = '', , size = ''] = output.toString('latin1', at, end).split(' ');
    objects.set(id, output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return objects;
}

function linesFor(ids: Iterable<string>): string {
  return [...new Set(ids)].map((id) => `${objectId(id)}\n`).join('');
}

/** The commits that change something below the folder of the records, newest first. Of a merge only what it changes itself. */
export function commitsWithChanges(repository: Repository): CommitChanges[] {
  const within = ['--', repository.prefix === '' ? '.' : repository.prefix];
  const format = '--format=%H%x00%cI%x00%an%x00%s%x00';
  const listing = git(
    [...LITERAL, 'rev-list', '--no-commit-header', '--encoding=UTF-8', format, 'HEAD', ...within],
    repository,
  );
  // git ends each commit with a line feed. None of the four can hold a NUL.
  const fields = fieldsOf(listing).map((field, index) => (index % 4 === 0 ? field.trimStart() : field));
  const commits = [];
  for (let at = 0; at + 3 < fields.length; at += 4) {
    const [commit = '', time = '', author = '', subject = ''] = fields.slice(at, at + 4);
    commits.push({ commit: objectId(commit), at: time, author, subject });
  }
  const changes = changesOf(
    commits.map(({ commit }) => commit),
    within,
    repository,
  );
  return commits.map((one) => ({ ...one, changes: changes.get(one.commit) ?? [] }));
}

function changesOf(
  commits: readonly string[],
  within: readonly string[],
  repository: Repository,
): Map<string, TreeChange[]> {
  const { prefix } = repository;
  const options = ['--stdin', '-z', '-r', '-c', '--root', '--raw', '--no-renames', '--no-abbrev'];
  const fields = fieldsOf(
    git([...LITERAL, 'diff-tree', ...options, ...within], repository, linesFor(commits)),
  );
  const all = new Map<string, TreeChange[]>();
  let current: TreeChange[] = [];
  for (let at = 0; at < fields.length; at++) {
    const field = fields[at] ?? '';
    if (!field.startsWith(':')) {
      current = [];
      all.set(objectId(field), current);
      continue;
    }
    // As many colons as parents; then the modes and the objects of the parents, each followed by those of the commit.
    const parents = field.lastIndexOf(':') + 1;
    const [modes, ids] = split(field.slice(parents).split(' '), parents + 1);
    const objects = modes.map((mode, index) => (KINDS[mode] === 'file' ? ids[index] : undefined));
    at += 1;
    const path = (fields[at] ?? '').slice(prefix.length);
    current.push({ path, before: objects.slice(0, parents), after: objects[parents] });
  }
  return all;
}

function split(list: readonly string[], at: number): [head: string[], tail: string[]] {
  return [list.slice(0, at), list.slice(at)];
}

function fieldsOf(output: Buffer): string[] {
  return output.toString().split('\0').slice(0, -1);
}

function objectId(text: string): string {
  if (!/^[0-9a-f]{40,64}$/.test(text)) throw new IoFailed(`git returned ${text} instead of an object`);
  return text;
}

/** Whatever a caller's shell, hook or workflow says to git is about another command: GIT_DIR would name another repository. */
function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const own = Object.entries(env).filter(([name]) => !name.toUpperCase().startsWith('GIT_'));
  return { ...Object.fromEntries(own), GIT_NO_REPLACE_OBJECTS: '1', GIT_OPTIONAL_LOCKS: '0' };
}

/** A path of this project's commands is a path, whatever signs it holds. */
const LITERAL = ['--literal-pathspecs'];

/** Nothing is run, and a repository is where it was found. */
const GLOBAL_OPTIONS = [
  '--no-pager',
  ...['-c', 'core.fsmonitor=false', '-c', 'safe.bareRepository=explicit', '-c', 'core.attributesFile='],
];

/** Runs git in the top folder. @throws {@link IoFailed} in git's words */
function git(args: readonly string[], { top, env }: Repository, input = ''): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', [...GLOBAL_OPTIONS, ...args], {
    cwd: top,
    env: environment(env),
    input,
    maxBuffer: 1024 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const words = (stderr?.toString() || error?.message || '').trim().replaceAll(/\s*\n\s*/g, '; ');
  const command = args.find((one) => !one.startsWith('-'));
  throw new IoFailed(`git ${command} fails${words === '' ? ` for ${args.at(-1)}` : `: ${words}`}`);
}
