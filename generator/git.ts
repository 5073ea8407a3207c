import { spawnSync } from 'node:child_process';
import { IoFailed, UsageError } from './errors.js';

/** The two versions of the records that a command compares, as commits; without `after` it is the working tree. */
export interface Revisions {
  readonly before: string;
  readonly after: string | undefined;
}

/** A path that two versions have otherwise; false where a version has no such file. */
export interface ChangedPath {
  /** Relative to the folder of the records. */
  readonly path: string;
  readonly before: boolean;
  readonly after: boolean;
}

/**
 * Reads `A..B`, `A...B` (what B changes since the two parted) or `A` as commits of the repository around a folder.
 *
 * @throws {@link UsageError} when there is no such commit
 */
export function revisionsOf(range: string, folder: string): Revisions {
  const [, first = '', dots = '', second = ''] = /^(.*?)(\.{2,3})(.*)$/.exec(range) ?? [];
  if (dots === '') return { before: commitOf(range, folder), after: undefined };
  const [before, after] = [commitOf(first || 'HEAD', folder), commitOf(second || 'HEAD', folder)];
  if (dots === '..') return { before, after };
  return { before: git(['merge-base', before, after], folder).toString().trim(), after };
}

function commitOf(revision: string, folder: string): string {
  // A revision that looks like an option would be one.
  if (revision.startsWith('-')) throw new UsageError(`${revision} is no commit`);
  const question = ['rev-parse', '--verify', '--quiet', '--end-of-options', `${revision}^{commit}`];
  try {
    return git(question, folder).toString().trim();
  } catch (cause) {
    throw new UsageError((cause as Error).message, { cause });
  }
}

/** The files below a folder that differ between two versions. A file that was renamed is gone, and another is new. */
export function changedPaths({ before, after }: Revisions, folder: string): ChangedPath[] {
  const range = after === undefined ? [before] : [before, after];
  const fields = git(
    ['diff', '--name-status', '--no-renames', '--relative', '-z', ...range, '--', '.'],
    folder,
  )
    .toString()
    .split('\0');
  const changed: ChangedPath[] = [];
  for (let index = 0; index + 1 < fields.length; index += 2) {
    const [status, path = ''] = [fields[index], fields[index + 1]];
    changed.push({ path, before: status !== 'A', after: status !== 'D' });
  }
  if (after !== undefined) return changed;
  const untracked = git(['ls-files', '--others', '--exclude-standard', '-z', '--', '.'], folder).toString();
  const fresh = untracked.split('\0').filter((path) => path !== '');
  return [...changed, ...fresh.map((path) => ({ path, before: false, after: true }))];
}

/** The bytes of files of a commit, in the order of their paths. */
export function filesOf(commit: string, paths: readonly string[], folder: string): Uint8Array[] {
  if (paths.length === 0) return [];
  const names = paths.map((path) => `${commit}:./${path}\n`).join('');
  const output = git(['cat-file', '--batch'], folder, names);
  const files: Uint8Array[] = [];
  let at = 0;
  for (const path of paths) {
    const end = output.indexOf('\n', at);
    const size = /^[0-9a-f]+ blob (\d+)$/.exec(output.subarray(at, end).toString())?.[1];
    if (size === undefined) throw new UsageError(`${path} cannot be read from ${commit}`);
    files.push(output.subarray(end + 1, end + 1 + Number(size)));
    at = end + 1 + Number(size) + 1;
  }
  return files;
}

/** Runs git below a folder. @throws {@link IoFailed} in git's words */
export function git(args: readonly string[], folder: string, input = ''): Buffer {
  const { status, stdout, stderr, error } = spawnSync('git', args, {
    cwd: folder,
    input,
    maxBuffer: 1024 * 1024 * 1024,
  });
  if (status === 0) return stdout;
  const words = (stderr?.toString() ?? error?.message ?? '').trim();
  throw new IoFailed(`git ${args[0]} fails${words === '' ? ` for ${args.at(-1)}` : `: ${words}`}`);
}
