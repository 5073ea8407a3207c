import { accessSync, constants, existsSync, lstatSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { IoFailed, UsageError } from '../errors.js';
import { type HeldLock, withLock } from './lock.js';
import { isWithin } from './walk.js';

/** The folder of a tree, while one command has exclusive access. */
export interface OutputFolder extends HeldLock {
  readonly out: string;
  /** The folder as the user named it. If this is a symbolic link, `out` is the target of the link. */
  readonly named: string;
  /** Where the next tree waits until it is applied: a folder beside `out`, on the same file system. */
  readonly stage: string;
}

/**
 * Runs a function that has exclusive access to an output folder.
 *
 * @throws {@link UsageError} if the path cannot be an output folder; {@link IoFailed} if another command is using the folder
 */
export async function withOutputFolder<T>(
  out: string,
  work: (place: OutputFolder) => Promise<T>,
): Promise<T> {
  if (out === '') throw new UsageError('--out must name a folder');
  if (!existsSync(out) && isLink(out)) {
    throw new UsageError(`${out} is a broken symbolic link: remove it, or create the folder`);
  }
  // Renames replace the files of the tree, not a link to the tree. The stage is therefore beside the target of the link.
  const real = resolve(existsSync(out) ? realpathSync(out) : out);
  assertReplaceable(real, out);
  return withLock(real, (held) => work({ ...held, out: real, named: out, stage: stageBeside(real) }));
}

/** Returns where the next tree of a folder waits. */
export const stageBeside = (out: string): string => join(dirname(out), `.${basename(out)}.stage`);

/** Asserts before anything is signed that files can be renamed from beside a folder into it. */
function assertReplaceable(out: string, named: string): void {
  const parent = dirname(out);
  try {
    mkdirSync(parent, { recursive: true });
    accessSync(parent, constants.W_OK);
  } catch (cause) {
    throw new IoFailed(`${parent} cannot be written: ${(cause as Error).message}`, { cause });
  }
  const isMount = existsSync(out) && statSync(out).dev !== statSync(parent).dev;
  if (!isMount) return;
  throw new UsageError(
    `${named} is on another file system than the folder that contains it, so no file can be renamed into it: let the volume hold the ` +
      'parent folder',
  );
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
