import { PATHS } from '../../../generator/tree/paths.js';
import type { RegistryStatus } from '../status.js';
import { holdsAgain, loadAndHold, loadCommand } from './load-steps.js';
import { type CommandSettings, type NextStep, told } from './next-step.js';
import { buildStep } from './signing-steps.js';

/** The step that repairs a tree that cannot be read. Everything else is known only after that. */
export function damageSteps(status: RegistryStatus, settings: CommandSettings): readonly NextStep[] {
  const { rootKey, tree, changes, rotation, publication } = status;
  const { out } = settings;
  const restore = (why: string) => restoreSteps(why, status, settings);
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

function restoreSteps(why: string, status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { out } = settings;
  const command = loadCommand(status, settings);
  const from =
    command === undefined
      ? ' from a mirror or a backup'
      : ' from what was published, if that is the newest publication';
  const reason = `restore ${out}${from}: ${why}${holdsAgain(status, settings)}`;
  return loadAndHold({ command, reason }, status.live.lostHolds, settings);
}
