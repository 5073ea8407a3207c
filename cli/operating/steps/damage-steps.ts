import { PATHS } from '../../../generator/tree/paths.js';
import { andHold } from '../../hosts/load-commands.js';
import type { RegistryStatus } from '../status.js';
import { holdsAgain, loadAndHold, loadCommand } from './load-steps.js';
import { buildStep, type CommandSettings, inSentences, type NextStep, told } from './next-step.js';

/** The step that repairs a tree that cannot be read. Everything else is known only after that. */
export function damageSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { rootKey, tree, rotation } = status;
  const { out } = settings;
  const copied = copySteps(status, settings);
  if (copied.length > 0) return copied;
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

/** Makes one lost file again, before anything is loaded over what only this tree may have. */
function copySteps({ tree: { lostFile } }: RegistryStatus, { out }: CommandSettings): NextStep[] {
  if (lostFile === undefined) return [];
  const file = `${out}/${lostFile}`;
  const command = `node -p 'JSON.parse(fs.readFileSync("${out}/${PATHS.statements}")).log_proof.split("\\n\\n").slice(1).join("\\n\\n").trimEnd()' > ${file}`;
  return [{ command, reason: `make ${file} again, from the copy in ${PATHS.statements}` }];
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
    ? `${out}/${PATHS.statements} is missing or damaged, and a build cannot sign it again`
    : undefined;
}

function restoreSteps(why: string, status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { lostHolds, comparedWithTree } = status.live;
  const command = loadCommand(status, settings);
  const again = holdsAgain(status, settings);
  if (comparedWithTree === 'older' && command !== undefined) {
    const backup = `restore ${settings.out} from a backup, because nobody else has its newest publication: ${why}`;
    const load = `If there is no backup, run \`${andHold(command, lostHolds, settings)}\``;
    return [told(inSentences(backup, load))];
  }
  const from =
    command === undefined ? 'a mirror or a backup' : 'what was published, if that is the newest publication';
  const reason = inSentences(`restore ${settings.out} from ${from}: ${why}`, again);
  return loadAndHold({ command, reason }, lostHolds, settings);
}
