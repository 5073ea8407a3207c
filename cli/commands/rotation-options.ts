import { Option } from 'commander';
import { KEY_CURVES, type KeyCurve, type NewPassphrase } from '../../generator/signing/key-file.js';
import { ROTATION_FOLDER } from '../operating/rotation-files.js';
import { ISSUERS_OPTION, JSON_OPTION, OFFLINE_OPTION, OUT_OPTION } from '../options/common-options.js';
import { newKeyPassphrase } from '../options/new-passphrase.js';
import {
  COMMIT_OPTION,
  checkpointChoice,
  committedKeys,
  EXCEPTION_OPTIONS,
  exceptions,
  LOG_OPTIONS,
  logChoice,
  onlineChoice,
  type PublicationOptions,
  treeOptions,
  urlQuestion,
} from '../options/publication-options.js';
import {
  keyOptions,
  rootSignerChoice,
  signerChoice,
  signerFrom,
  signerOptions,
} from '../options/signer-options.js';
import type { PlanChoice } from '../rotating/rotation-choice.js';
import type { Io } from '../terminal/io.js';

/** The options of `keys rotate`. */
export interface RotateCommandOptions extends PublicationOptions {
  issuers: string;
  out: string;
  folder: string;
  nextKey?: string;
  nextPassphraseFile?: string;
  nextSignerCommand?: string;
  nextRootKey?: string;
  nextNoPassphrase?: true;
  alg: KeyCurve;
  commit?: readonly string[];
  yes?: true;
  json?: true;
}

/** The same, for the help. */
export const ROTATION_OPTIONS = [
  ISSUERS_OPTION,
  OUT_OPTION,
  new Option('--folder <dir>', 'folder for the step').default(ROTATION_FOLDER),
  ...keyOptions(''),
  ...signerOptions('next-'),
  new Option('--root-key <file>', 'public JWK of the outgoing root key; required with a signing command'),
  new Option(
    '--next-root-key <file>',
    'public JWK of the next root key; required with --next-signer-command',
  ),
  new Option('--alg <name>', 'algorithm of a key that is made').choices(KEY_CURVES).default('Ed25519'),
  COMMIT_OPTION,
  new Option('--next-no-passphrase', 'do not encrypt a key that is made'),
  ...EXCEPTION_OPTIONS,
  ...LOG_OPTIONS,
  OFFLINE_OPTION,
  new Option('--yes', 'do not ask'),
  JSON_OPTION,
];

/** Returns what the plan of a rotation depends on, from the options. @throws {@link UsageError} | {@link KeyRejected} | {@link IoFailed} */
export async function planChoice(io: Io, options: RotateCommandOptions): Promise<PlanChoice> {
  const { issuers, out, folder, alg, settings } = options;
  const checkpoint = await checkpointChoice(io, settings);
  return {
    ...{ issuers, out, folder, algorithm: alg, env: io.env },
    outgoing: rootSignerChoice(io, options),
    next: signerChoice(io, signerFrom(options, 'next'), {
      rootKey: options.nextRootKey,
      passphraseOption: '--next-passphrase-file',
    }),
    nextRoots: settings.next_roots,
    commit: await committedKeys(io, options.commit),
    online: await onlineChoice(io, settings, checkpoint?.signer),
    checkpoint,
    checkpointHours: settings.checkpoint.hours,
    log: await logChoice(io, options),
    exceptions: exceptions(options),
    tree: treeOptions(settings),
    url: urlQuestion(options),
  };
}

/** Returns what provides the passphrase of the next key, which the rotation makes. @throws {@link KeyRejected} | {@link UsageError} */
export function nextPassphrase(io: Io, options: RotateCommandOptions): Promise<NewPassphrase> {
  return newKeyPassphrase(io, options.nextKey ?? 'the next key', {
    passphraseFile: options.nextPassphraseFile,
    passphrase: options.nextNoPassphrase !== true,
    prefix: 'next-',
  });
}
