import { commandLine } from '../../command-line.js';
import { holdCommand, optionsOfHold } from '../../hosts/load-commands.js';
import type { RegistryStatus } from '../status.js';
import {
  type CommandSettings,
  keysFirst,
  type NextStep,
  onlineKeyFirst,
  publishingOptions,
  run,
} from './next-step.js';

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
  const [first = '', ...others] = undecided;
  // Pasted at night, one command for all would end each of them.
  const isOne = others.length === 0;
  const mistaken = endCommand([...(isOne ? [first] : []), '--false-alarm'], settings);
  const reason = `suspend with the root key: ${undecided.join(', ')}. After a false alarm, run \`${mistaken}\`${isOne ? '' : ' with the id'} instead`;
  const words = ['suspend', first, '--reason', '"<REASON>"', ...publishingOptions(settings)];
  return run(keysFirst(reason, status, settings), settings, ...words);
}

function endCommand(words: readonly string[], settings: CommandSettings): string {
  return commandLine(settings, 'hold', '--end', ...words, ...optionsOfHold(settings.out));
}

/** The step that holds issuers. */
export function holdStep(reason: string, ids: readonly string[], settings: CommandSettings): NextStep {
  return { command: holdCommand(ids, settings), reason: onlineKeyFirst(reason, settings) };
}

/** What a checkpoint of the host holds, and the tree does not: to publish the tree would release them. */
export function holdAgainSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const ids = status.live.parts?.holds?.onlyHost ?? [];
  if (ids.length === 0) return [];
  const reason = `hold again what only the host holds: ${ids.join(', ')}. If you have ended these holds here, go on with the next step`;
  return [holdStep(reason, ids, settings)];
}
