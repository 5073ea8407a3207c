import { readdirSync } from 'node:fs';
import { GeneratorError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import { replacedRootKeys } from '../../generator/tree/commitment.js';
import type { Condition } from './condition.js';
import { type LocalTree, problemsOf } from './local-tree.js';
import { type RotationFiles, readRotationFiles } from './rotation-files.js';

/** The condition of a rotation that `keys rotate` has begun, and what is left to do after one. */
export interface RotationCondition extends Condition {
  /**
   * `none`: its folder has no file of a rotation. `unfinished`: the tree does not have the next key, or is not valid.
   * `complete`: the tree is valid and has the next key, and the folder is still there. `unreadable`: a file of the
   * folder cannot be used.
   */
  readonly state: 'none' | 'unfinished' | 'complete' | 'unreadable';
  /** Whether the outgoing key has signed the step, so that the tree may have the next key. */
  readonly signed: boolean;
  /** RFC 7638 thumbprint of the next root key; undefined if it is not known yet. */
  readonly next: string | undefined;
  /** The folder of the rotation. */
  readonly folder: string;
  /** The documents of the working directory that still name a root key that the tree has replaced. */
  readonly outdated: readonly string[];
}

/** Describes the rotation in a folder, which need not exist. Reads only public files. */
export async function rotationCondition(
  folder: string,
  tree: LocalTree,
  env: NodeJS.ProcessEnv,
): Promise<RotationCondition> {
  const outdated = findOutdated(tree);
  try {
    return { ...describe(await readRotationFiles(folder, env), tree, outdated), outdated };
  } catch (error) {
    if (!(error instanceof GeneratorError)) throw error;
    return {
      level: 'warning',
      message: error.message,
      state: 'unreadable',
      signed: false,
      next: undefined,
      ...{ folder, outdated },
    };
  }
}

/** Finds documents that name an earlier root key and not the present one. */
function findOutdated({ folder, published }: LocalTree): readonly string[] {
  const earlier = replacedRootKeys(folder);
  const current = published?.rootKey?.thumbprint;
  if (current === undefined || earlier.length === 0) return [];
  const isOutdated = (name: string) => {
    try {
      const text = readText(name);
      return earlier.some((kid) => text.includes(kid)) && !text.includes(current);
    } catch {
      // What cannot be read is unknown.
      return false;
    }
  };
  return readdirSync('.')
    .filter((name) => name.endsWith('.md'))
    .filter(isOutdated);
}

function describe(
  files: RotationFiles,
  { folder: out, published, report }: LocalTree,
  outdated: readonly string[],
): Omit<RotationCondition, 'outdated'> {
  const { folder, outgoing, step } = files;
  const next = files.next?.thumbprint;
  const found = { signed: step !== undefined, next, folder };
  if ([outgoing, next, step].every((one) => one === undefined)) {
    if (outdated.length === 0) return { level: 'ok', message: 'none', state: 'none', ...found };
    const message = `complete, but still of a root key that was replaced: ${outdated.join(', ')}`;
    return { level: 'note', message, state: 'none', ...found };
  }
  const current = published?.rootKey?.thumbprint ?? report?.rootKey;
  // A later rotation has replaced the next key. If the outgoing key is still in use, `next` is an older key instead.
  const isReplaced = (key: string) => replacedRootKeys(out).includes(key) && outgoing?.thumbprint !== current;
  const isValid = report !== undefined && problemsOf(report, (name) => name !== 'freshness') === undefined;
  if (next !== undefined && (current === next || isReplaced(next)) && isValid) {
    const message = `to ${next}, complete in ${out}; ${folder} is still there`;
    return { level: 'note', message, state: 'complete', ...found };
  }
  const what = next === undefined ? 'the next key is not made yet' : `to ${next}`;
  const message = `${what}, not finished: ${out} has ${isValid ? `the key ${current}` : 'no valid tree'}`;
  return { level: 'warning', message, state: 'unfinished', ...found };
}
