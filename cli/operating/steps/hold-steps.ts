import { commandLine } from '../../command-line.js';
import type { RegistryStatus } from '../status.js';
import { type CommandSettings, type NextStep, run } from './next-step.js';
import { keysFirst, onlineKeyFirst, publishingOptions } from './signing-steps.js';

/** A hold is for the time until the root key is there: then the list says what becomes of the issuer. */
export function holdSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { issuers = [], releasable } = status.hold;
  const undecided = issuers.filter((id) => !releasable.includes(id));
  const reason = onlineKeyFirst('end the hold of issuers that the list has stopped', settings);
  return [
    ...(undecided.length === 0 ? [] : [decideStep(undecided, status, settings)]),
    ...(releasable.length === 0 ? [] : [{ command: endCommand(releasable, settings), reason }]),
  ];
}

function decideStep(
  undecided: readonly string[],
  status: RegistryStatus,
  settings: CommandSettings,
): NextStep {
  const [first = ''] = undecided;
  // Pasted at night, one command for all would end each of them.
  const ids = undecided.length === 1 ? [first] : [];
  const mistaken = endCommand([...ids, '--false-alarm'], settings);
  const which = undecided.length === 1 ? '' : ' with the id';
  const reason = `suspend with the root key: ${undecided.join(', ')}; or, after a false alarm, run \`${mistaken}\`${which}`;
  const words = ['suspend', first, '--reason', '"<REASON>"', ...publishingOptions(settings)];
  return run(keysFirst(reason, status, settings), settings, ...words);
}

function endCommand(words: readonly string[], settings: CommandSettings): string {
  return commandLine(settings, 'hold', '--end', ...words, ...optionsOfHold(settings));
}

/** The step that holds issuers. */
export function holdStep(reason: string, ids: readonly string[], settings: CommandSettings): NextStep {
  return { command: holdCommand(ids, settings), reason: onlineKeyFirst(reason, settings) };
}

/** The command that holds issuers. */
export function holdCommand(ids: readonly string[], settings: CommandSettings): string {
  return commandLine(settings, 'hold', ...ids, ...optionsOfHold(settings));
}

function optionsOfHold({ out }: CommandSettings): readonly string[] {
  return out === 'dist' ? [] : ['--out', out];
}

/** What a checkpoint of the host holds, and the tree does not: to publish the tree would release them. */
export function holdAgainSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const ids = status.live.parts?.holds?.onlyHost ?? [];
  if (ids.length === 0) return [];
  const reason = `hold again what only the host holds: ${ids.join(', ')}; or, if you have ended these holds here, go on with the next step`;
  return [holdStep(reason, ids, settings)];
}
