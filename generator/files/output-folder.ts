import { existsSync, lstatSync, realpathSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { UsageError } from '../errors.js';
import { withOutputLock } from './output-lock.js';

/** The folder of a tree, while one build has it to itself. */
export interface OutputFolder {
  readonly out: string;
  /** The folder as the user has named it: `out` is where a link leads to. */
  readonly named: string;
  /** A folder beside it, on the same file system, that is gone afterwards. */
  readonly staging: string;
}

/**
 * Runs some work on an output folder while no other build touches it.
 *
 * @throws {@link UsageError} when it can be no output folder; {@link IoFailed} when another build is at work
 */
export async function withOutputFolder<T>(
  out: string,
  work: (place: OutputFolder) => Promise<T>,
): Promise<T> {
  if (out === '') throw new UsageError('--out must name a folder');
  if (!existsSync(out) && isLink(out)) {
    throw new UsageError(`${out} is a broken symbolic link: remove it, or create the folder`);
  }
  // Behind a link the tree itself is what is switched, from beside where it really is.
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
 * Asserts that a build removes nothing that it needs: what lies in its output folder and belongs to no tree goes away.
 *
 * @param inputs - files and folders that the build was given
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
    if (input === undefined || !existsSync(input)) continue;
    const path = relative(folder, realpathSync(input));
    if (path !== '..' && !path.startsWith(`..${sep}`)) {
      throw new UsageError(`${input} is in ${out}, where a build would remove it: move it to another folder`);
    }
  }
}
