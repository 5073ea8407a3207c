import type { Command } from 'commander';
import { UsageError } from '../errors.js';
import { loadSigner } from '../key-file.js';
import type { PublishOptions } from '../publish.js';
import { readText } from '../read-file.js';
import { askPassphrase } from './ask-passphrase.js';

/** The options of commands that publish a list, about what shows that it is the newest. */
export interface FreshnessOptions {
  delegation?: string;
  rotation?: string;
  checkpointKey?: string;
  checkpointHours: string;
}

/** Adds them. */
export function addFreshnessOptions(command: Command): Command {
  return command
    .option('--delegation <file>', 'delegation to online keys, from `keys delegate`')
    .option('--rotation <file>', 'step to this root key, from `keys rotate`')
    .option('--checkpoint-key <file|env:NAME>', 'online key: sign a checkpoint, too')
    .option('--checkpoint-hours <number>', 'for how long the checkpoint holds', '24');
}

/** What they ask for. @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected} */
export async function freshnessChoice({
  delegation,
  rotation,
  checkpointKey,
  checkpointHours,
}: FreshnessOptions): Promise<Pick<PublishOptions, 'delegation' | 'rotation' | 'checkpoint'>> {
  const hours = positiveNumber('--checkpoint-hours', checkpointHours);
  return {
    delegation: delegation && readText(delegation).trim(),
    rotation: rotation && readText(rotation).trim(),
    checkpoint: checkpointKey ? { signer: await loadSigner(checkpointKey, askPassphrase), hours } : undefined,
  };
}

/** A number that an option was given. @throws {@link UsageError} */
export function positiveNumber(option: string, text: string): number {
  if (!/^[1-9]\d{0,4}$/.test(text)) throw new UsageError(`${option} takes a number from 1 to 99999`);
  return Number(text);
}
