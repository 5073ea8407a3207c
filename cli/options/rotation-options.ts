import { type Command, Option } from 'commander';
import type { SignerInput } from '../../generator/signing/command-signer.js';
import { KEY_CURVES, type KeyCurve, loadRootKey } from '../../generator/signing/key-file.js';
import type { RotationOptions } from '../rotating/rotation-options.js';
import type { Io } from '../terminal/io.js';
import { addHoldersOption, type HoldersOptions, treeOptions } from './build-options.js';
import { addCommitmentOption, type CommitmentOptions, committedKeys } from './commitment-options.js';
import { checkpointChoice, checkpointHours } from './freshness-options.js';
import { addLogOptions, type LogOptions, logChoice } from './log-options.js';
import { newKeyPassphrase } from './new-passphrase.js';
import { positiveNumber } from './numbers.js';
import { addExceptionOptions, type ExceptionOptions, exceptions } from './rule-options.js';
import {
  addSignerWithCommand,
  addSigningOptions,
  type SignerOptions,
  signerChoice,
} from './signer-options.js';

/** The folder of a rotation, unless `keys rotate` is given another one. */
export const ROTATION_FOLDER = 'rotation';

/** The options of `keys rotate`. */
export interface RotateCommandOptions
  extends SignerOptions,
    ExceptionOptions,
    LogOptions,
    CommitmentOptions,
    HoldersOptions {
  issuers: string;
  out: string;
  folder: string;
  nextKey?: string;
  nextPassphraseFile?: string;
  nextSignerCommand?: string;
  nextSignerInput?: SignerInput;
  nextSignerTimeout?: string;
  nextRootKey?: string;
  nextNoPassphrase?: true;
  alg: KeyCurve;
  online?: readonly string[];
  days: string;
  yes?: true;
  json?: true;
}

/** Adds the options of `keys rotate`. */
export function addRotationOptions(command: Command): Command {
  command
    .option('--issuers <dir>', 'folder of the records', 'issuers')
    .option('--out <dir>', 'folder of the published tree', 'dist')
    .option('--folder <dir>', 'folder for the step and the delegation', ROTATION_FOLDER);
  addSignerWithCommand(addSigningOptions(command), 'next-')
    .option('--root-key <file>', 'public JWK of the outgoing root key; required with a signing command')
    .option('--next-root-key <file>', 'public JWK of the next root key; required with --next-signer-command')
    .addOption(
      new Option('--alg <name>', 'algorithm of a key that is made').choices(KEY_CURVES).default('Ed25519'),
    );
  addCommitmentOption(command)
    .option('--next-no-passphrase', 'do not encrypt a key that is made')
    .option(
      '--online <file...>',
      'public JWKs of the online keys (default: those of the published delegation)',
    )
    .option('--days <number>', 'how long the new delegation is valid', '90');
  return addHoldersOption(addLogOptions(addExceptionOptions(command)))
    .option('--yes', 'do not ask')
    .option('--json', 'report as JSON on stdout');
}

/** Returns the options of a rotation. @throws {@link UsageError} | {@link KeyRejected} | {@link IoFailed} */
export async function rotationOptions(io: Io, options: RotateCommandOptions): Promise<RotationOptions> {
  const { issuers, out, folder, alg, online } = options;
  return {
    ...{ issuers, out, folder, algorithm: alg, env: io.env },
    outgoing: signerChoice(io, options),
    next: signerChoice(
      io,
      {
        key: options.nextKey,
        passphraseFile: options.nextPassphraseFile,
        signerCommand: options.nextSignerCommand,
        signerInput: options.nextSignerInput,
        signerTimeout: options.nextSignerTimeout,
        rootKey: options.nextRootKey,
      },
      'next-',
    ),
    newPassphrase: (file) =>
      newKeyPassphrase(io, file, {
        passphraseFile: options.nextPassphraseFile,
        passphrase: options.nextNoPassphrase !== true,
        prefix: 'next-',
      }),
    nextRoots: options.settings.next_roots,
    commit: await committedKeys(io, '--commit', options.commit),
    online: online && (await Promise.all(online.map((file) => loadRootKey(file, io.env)))),
    delegationDays: positiveNumber('--days', options.days),
    checkpoint: await checkpointChoice(io, options.settings),
    checkpointHours: checkpointHours(options.settings),
    log: await logChoice(io, options),
    exceptions: exceptions(options),
    tree: treeOptions(options),
  };
}
