import { PATHS } from '../../../generator/tree/paths.js';
import type { RegistryStatus } from '../status.js';
import { holdsAgain, loadAndHold, loadCommand } from './load-steps.js';
import { buildStep, type CommandSettings, inSentences, type NextStep, told } from './next-step.js';

/** The step that repairs a tree that cannot be read. Everything else is known only after that. */
export function damageSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { rootKey, tree, rotation } = status;
  const { out } = settings;
  if (tree.lost === undefined) {
    // From its step on, a rotation may have been stopped while its build wrote the tree, and repairs what that left.
    if (rotation.state === 'unfinished' && rotation.signed) return [];
    if (tree.repairable.length > 0)
      return [buildStep({ reason: `repair ${tree.repairable.join(', ')}` }, status, settings)];
    if (rootKey.fault === 'pinned')
      return [told(`correct root_key, or restore ${out}: the rest is checked after that`)];
  }
  const why = whyRestored(status, settings);
  return why === undefined ? [] : restoreSteps(why, status, settings);
}

/** What no build can make again. Undefined if nothing is lost. */
function whyRestored(
  { rootKey, tree, changes, publication }: RegistryStatus,
  { out }: CommandSettings,
): string | undefined {
  if (tree.lost !== undefined) return tree.lost;
  if (rootKey.fault === 'tree') return rootKey.message;
  const isUnread = changes.state === 'refused' && changes.problems.length === 0;
  if (isUnread && tree.level === 'error') return tree.message;
  return publication.level === 'error'
    ? `${out}/${PATHS.publication} is missing or damaged, and a build cannot sign it again`
    : undefined;
}

function restoreSteps(why: string, status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const command = loadCommand(status, settings);
  const from =
    command === undefined ? 'a mirror or a backup' : 'what was published, if that is the newest publication';
  const reason = inSentences(`restore ${settings.out} from ${from}: ${why}`, holdsAgain(status, settings));
  return loadAndHold({ command, reason }, status.live.lostHolds, settings);
}
