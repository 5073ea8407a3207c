import { IoFailed } from '../errors.js';
import { readObjects, treeEntries } from './git.js';
import type { RemoteBranch } from './remote-branch.js';

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
