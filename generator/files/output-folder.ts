import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join } from 'node:path';
import { UsageError } from '../errors.js';
import { withOutputLock } from './output-lock.js';
import { isWithin } from './walk.js';

/** The folder of a tree, while one build has exclusive access. */
export interface OutputFolder {
  readonly out: string;
  /** The folder as the user named it. If this is a symbolic link, `out` is the target of the link. */
  readonly named: string;
  /** A temporary folder beside `out`, on the same file system. The folder is removed at the end. */
  readonly staging: string;
}

/**
 * Runs a function that has exclusive access to an output folder.
 *
 * @throws {@link UsageError} if the path cannot be an output folder; {@link IoFailed} if another build is using the folder
 */
export async function withOutputFolder<T>(
  out: string,
  work: (place: OutputFolder) => Promise<T>,
): Promise<T> {
  if (out === '') throw new UsageError('--out must name a folder');
  if (!existsSync(out) && isLink(out)) {
    throw new UsageError(`${out} is a broken symbolic link: remove it, or create the folder`);
  }
  // Renames replace the tree, not a link to the tree. The staging folder is therefore beside the target of the link.
  const real = existsSync(out) ? realpathSync(out) : out;
  return withOutputLock(real, (staging) => work({ out: real, named: out, staging }));
}

function isLink(path: string): boolean {
  try {
    return lstatSync(path).isSymbolicLink();
  } catch {
    return false;
  }
}

/**
 * Asserts that the output folder contains no input of the build and no git repository. A build removes everything from
 * the output folder that does not belong to the tree.
 *
 * @param inputs - the files and folders that the build reads
 * @throws {@link UsageError}
 */
export function assertOutside(out: string, inputs: readonly (string | undefined)[]): void {
  if (!existsSync(out)) return;
  if (existsSync(join(out, '.git'))) {
    throw new UsageError(
      `${out} is a git repository, which a build would remove: build elsewhere, and copy the tree`,
    );
  }
  const folder = realpathSync(out);
  for (const input of inputs) {
    if (input !== undefined && existsSync(input) && isWithin(folder, realpathSync(input))) {
      throw new UsageError(`${input} is in ${out}, where a build would remove it: move it to another folder`);
    }
  }
}
