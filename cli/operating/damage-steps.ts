import { join } from 'node:path';
import { PRIVATE_FOLDER } from '../../generator/files/private-folder.js';
import { PATHS } from '../../generator/tree/paths.js';
import { buildStep } from './build-step.js';
import { type CommandSettings, type NextStep, run, told } from './next-step.js';
import { loadFromHost, MIRROR_FOLDER } from './published-before.js';
import { shellWord } from './shell-word.js';
import type { RegistryStatus } from './status.js';

/** The step that repairs a tree that cannot be read. Everything else is known only after that. */
export function damageSteps(status: RegistryStatus, settings: CommandSettings): readonly NextStep[] {
  const { rootKey, tree, changes, rotation, publication } = status;
  const { out } = settings;
  const restore = (why: string) => [restoreStep(why, status, settings)];
  if (tree.lost !== undefined) return restore(tree.lost);
  // From its step on, a rotation may have been stopped while its build wrote the tree, and repairs what that left.
  if (rotation.state === 'unfinished' && rotation.signed) return [];
  if (tree.repairable.length > 0)
    return [buildStep({ reason: `repair ${tree.repairable.join(', ')}` }, status, settings)];
  if (rootKey.fault === 'pinned') {
    return [told(`correct root_key, or restore ${out}: the rest is checked after that`)];
  }
  if (rootKey.fault === 'tree') return restore(rootKey.message);
  if (changes.state === 'refused' && changes.problems.length === 0 && tree.level === 'error') {
    return restore(tree.message);
  }
  if (publication.level === 'error') {
    return restore(`${out}/${PATHS.publication} is missing or damaged, and a build cannot sign it again`);
  }
  return [];
}

function restoreStep(why: string, status: RegistryStatus, settings: CommandSettings): NextStep {
  const { out } = settings;
  const command = loadCommand(status, settings);
  const from =
    command === undefined
      ? ' from a mirror or a backup'
      : ' from what was published, if that is the newest publication';
  return { command, reason: `restore ${out}${from}: ${why}` };
}

/** The step that brings the published tree into the output folder. */
export function loadStep(status: RegistryStatus, settings: CommandSettings): NextStep {
  const { out } = settings;
  const command = loadCommand(status, settings);
  const from = command === undefined ? ', from a branch, a mirror or a backup' : '';
  const url = servingUrl(status);
  const copy =
    !status.tree.hasRemote || url === undefined
      ? ''
      : `; if it is not on a branch, or older there, run \`${fromHost(url, status, settings)}\``;
  const { trace } = status.tree;
  const start = trace?.otherwise;
  const isServed = url !== undefined;
  const never = start === undefined || isServed ? '' : `; if this registry has never published, ${start}`;
  return {
    command,
    reason: `load the published tree into ${out} before the next build${from}${copy}${never}`,
  };
}

/** The folder for a tree that is loaded from its branch. It replaces the output folder only when it is complete. */
const FROM_BRANCH = join(PRIVATE_FOLDER, 'branch');

/** The command that loads the published tree: from its branch, or else from a host. Undefined if neither is known. */
function loadCommand(status: RegistryStatus, settings: CommandSettings): string | undefined {
  const { tree } = status;
  const { out } = settings;
  // Of two histories, the branch has the one that its last saver had.
  if (tree.hasRemote && status.live.keep === undefined) {
    if (!isThere(status)) return run('', 'branch', 'load', out).command;
    return `${run('', 'branch', 'load', FROM_BRANCH).command} && rm -r ${out} && mv ${FROM_BRANCH} ${out}`;
  }
  const url = servingUrl(status);
  const { copy } = tree.trace ?? {};
  if (url === undefined) return copy && `cp -rL ${copy} ${out}`;
  return fromHost(url, status, settings);
}

function fromHost(url: string, status: RegistryStatus, settings: CommandSettings): string {
  const { out, rootKeyFile, rootKeyOptions, hasRootKey } = settings;
  const key = hasRootKey ? rootKeyOptions : ['--root-key', rootKeyFile];
  if (isThere(status)) return loadFromHost(url, out, key);
  return `${run('', 'mirror', shellWord(url), MIRROR_FOLDER, ...key).command} && cp -rL ${MIRROR_FOLDER}/current ${out}`;
}

/** Whether the output folder has a tree, damaged or not. */
const isThere = ({ tree }: RegistryStatus) =>
  tree.published || (tree.level !== 'note' && tree.trace === undefined);

/** A host that serves a list of the registry. */
function servingUrl({ live, mirrors }: RegistryStatus): string | undefined {
  return [live, ...mirrors].find(({ host }) => host?.updatedAt !== undefined)?.url;
}
