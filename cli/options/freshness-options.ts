import type { Command } from 'commander';
import { readText } from '../../generator/files/read-file.js';
import type { FreshnessChoice } from '../../generator/freshness/freshness.js';
import type { CheckpointChoice } from '../../generator/freshness/statements.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import type { SignerInput } from '../../generator/signing/command-signer.js';
import type { Signer } from '../../generator/signing/sign.js';
import type { Io } from '../terminal/io.js';
import { positiveNumber } from './positive-number.js';
import { addSigningOptions, type SignerOptions, signerChoice } from './signer-options.js';

/** The options for delegation, rotation and checkpoint, of commands that publish a list. */
export interface FreshnessOptions extends CheckpointOptions {
  delegation?: string;
  rotation?: string;
  /** From registry.yaml only. */
  nextRoots?: readonly string[];
}

/** The options for a checkpoint that is signed with a tree. */
export interface CheckpointOptions {
  checkpointKey?: string;
  checkpointPassphraseFile?: string;
  checkpointSignerCommand?: string;
  checkpointSignerInput?: SignerInput;
  checkpointSignerTimeout?: string;
  checkpointPublicKey?: string;
  checkpointHours: string;
}

/** Adds the options for delegation, rotation and checkpoint. */
export function addFreshnessOptions(command: Command): Command {
  command
    .option('--delegation <file>', 'delegation to online keys, from `keys delegate`')
    .option('--rotation <file>', 'step to this root key, from `keys step`');
  return addCheckpointOptions(command);
}

/** Adds the options for a checkpoint that is signed with a tree. */
export function addCheckpointOptions(command: Command): Command {
  return addSigningOptions(command, 'checkpoint-')
    .option(
      '--checkpoint-public-key <file>',
      "the online key's public JWK; required with --checkpoint-signer-command",
    )
    .option('--checkpoint-hours <number>', 'how long the checkpoint is valid', '24');
}

/**
 * Reads delegation, rotation and online key from the options.
 *
 * @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected}
 */
export async function freshnessChoice(io: Io, options: FreshnessOptions): Promise<FreshnessChoice> {
  const { delegation, rotation, nextRoots } = options;
  return {
    nextRoots,
    delegation: delegation && readText(delegation).trim(),
    rotation: rotation && readText(rotation).trim(),
    checkpoint: await checkpointChoice(io, options),
  };
}

/** Returns the signer and the lifetime of a checkpoint; undefined if no online key is given. */
export async function checkpointChoice(
  io: Io,
  options: CheckpointOptions,
): Promise<CheckpointChoice | undefined> {
  const { checkpointKey: key, checkpointSignerCommand: signerCommand } = options;
  const hours = positiveNumber('--checkpoint-hours', options.checkpointHours);
  if (key === undefined && signerCommand === undefined) return undefined;
  const signing = {
    key,
    passphraseFile: options.checkpointPassphraseFile,
    signerCommand,
    signerInput: options.checkpointSignerInput,
    signerTimeout: options.checkpointSignerTimeout,
    rootKey: options.checkpointPublicKey,
  };
  return { signer: await onlineSigner(io, signing, 'checkpoint-'), hours };
}

/** Returns the signer of checkpoints, which is never a development key. */
export function onlineSigner(
  io: Io,
  options: SignerOptions,
  prefix: '' | 'checkpoint-' | 'log-' = '',
): Promise<Signer> {
  return chooseSigner({ ...signerChoice(io, options, prefix), production: true });
}
