import { commandLine } from '../../command-line.js';
import type { RegistryStatus } from '../status.js';
import type { CommandSettings, NextStep } from './next-step.js';
import { onlineKeyFirst, publishingOptions } from './signing-steps.js';

/** A hold is for the time until the root key is there: then the list says what becomes of the issuer. */
export function holdSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const { issuers = [], releasable } = status.hold;
  const undecided = issuers.filter((id) => !releasable.includes(id));
  const reason = 'end the hold of issuers that the list has stopped';
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
  const mistaken = endCommand([undecided.length === 1 ? first : '<ID>', '--false-alarm'], settings);
  const reason = `suspend with the root key: ${undecided.join(', ')}; or, after a false alarm, run \`${mistaken}\``;
  const words = ['suspend', first, '--reason', '"<REASON>"', ...publishingOptions(settings)];
  return { command: commandLine(settings, ...words), reason: onlineKeyFirst(reason, status, settings) };
}

function endCommand(words: readonly string[], settings: CommandSettings): string {
  return commandLine(settings, 'hold', '--end', ...words, ...optionsOfHold(settings));
}

/** The command that holds issuers. */
export function holdCommand(ids: readonly string[], settings: CommandSettings): string {
  return commandLine(settings, 'hold', ...ids, ...optionsOfHold(settings));
}

function optionsOfHold({ out, onlineOptions }: CommandSettings): readonly string[] {
  return [...(out === 'dist' ? [] : ['--out', out]), ...onlineOptions];
}

/** What a checkpoint of the host holds, and the tree does not: to publish the tree would release them. */
export function holdAgainSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  const ids = status.live.parts?.holds?.onlyHost ?? [];
  if (ids.length === 0) return [];
  const reason = `hold again what only the host holds: ${ids.join(', ')}; or, if you have ended these holds here, go on with the next step`;
  return [{ command: holdCommand(ids, settings), reason }];
}
