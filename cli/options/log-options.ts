import { GRAMMAR, parseNoteKey } from '@passport-registry/verifier/core';
import { type Command, Option } from 'commander';
import { IoFailed, UsageError } from '../../generator/errors.js';
import {
  type CosignChoice,
  KEPT_LIST_BYTES,
  type LogChoice,
  type Witness,
  type WitnessChoice,
} from '../../generator/log/log-choice.js';
import type { SignerInput } from '../../generator/signing/command-signer.js';
import type { Signer } from '../../generator/signing/sign.js';
import type { Io } from '../terminal/io.js';
import type { WitnessConfiguration } from './configuration.js';
import { onlineSigner } from './freshness-options.js';
import { addSigningOptions } from './signer-options.js';

/** The witnesses and the quorum, which only registry.yaml can set. */
export interface WitnessSettings {
  witnesses?: readonly WitnessConfiguration[];
  quorum?: string;
}

/** The options for the cosignatures of witnesses. The witnesses are in registry.yaml. */
export interface CosignOptions extends WitnessSettings {
  cosignWait: string;
}

/** The options for the log, of commands that publish a list. */
export interface LogOptions extends CosignOptions {
  logOrigin?: string;
  logKey?: string;
  logPassphraseFile?: string;
  logSignerCommand?: string;
  logSignerInput?: SignerInput;
  logSignerTimeout?: string;
  logPublicKey?: string;
  keepLists: string;
  cosignLater?: true;
}

/** Lets a command read the witnesses and the quorum from registry.yaml. */
export function addWitnessSettings(command: Command): Command {
  return command
    .addOption(new Option('--witnesses <list>').hideHelp())
    .addOption(new Option('--quorum <number>').hideHelp());
}

/** Adds the options for the cosignatures of witnesses. */
export function addCosignOptions(command: Command): Command {
  return addWitnessSettings(command).option(
    '--cosign-wait <seconds>',
    'how long to wait for the witnesses in registry.yaml',
    '60',
  );
}

/** Adds the options for the log. */
export function addLogOptions(command: Command): Command {
  command.option(
    '--log-origin <name>',
    'name of the public log, which it keeps: host of the registry and /log',
  );
  addSigningOptions(command, 'log-')
    .option('--log-public-key <file>', "log key's public JWK; required with --log-signer-command")
    .option(
      '--keep-lists <MiB>',
      'up to which size lists are kept permanently',
      String(KEPT_LIST_BYTES / MIB),
    );
  return addCosignOptions(command).option(
    '--cosign-later',
    'stop when the list is in the log; `checkpoint`, or the same command, completes the publication',
  );
}

/** Exit code if fewer witnesses than the quorum have cosigned. */
export const TOO_FEW = new IoFailed('').exitCode;

const MIB = 1024 * 1024;

/** Returns the log of a publication. Undefined if no option and no setting is about a log. */
export async function logChoice(io: Io, options: LogOptions): Promise<LogChoice | undefined> {
  const { logOrigin: origin, logKey: key, logSignerCommand: signerCommand, witnesses } = options;
  if (origin === undefined && key === undefined && signerCommand === undefined && witnesses === undefined) {
    return undefined;
  }
  if (origin !== undefined && !GRAMMAR.logOrigin.pattern.test(origin)) {
    throw new UsageError(
      `--log-origin takes the host of the registry and /log, such as registry.example/log, not ${JSON.stringify(origin)}`,
    );
  }
  return {
    ...cosignChoice(options),
    origin,
    signer: await logSigner(io, options),
    keepBytes: wholeNumber('--keep-lists', options.keepLists) * MIB,
    cosignLater: options.cosignLater === true,
  };
}

/** Returns the signer of heads, which is never a development key here. Undefined without a key. */
async function logSigner(io: Io, options: LogOptions): Promise<Signer | undefined> {
  const { logKey: key, logSignerCommand: signerCommand } = options;
  if (key === undefined && signerCommand === undefined) return undefined;
  const signing = {
    ...{ key, signerCommand, passphraseFile: options.logPassphraseFile, signerInput: options.logSignerInput },
    ...{ signerTimeout: options.logSignerTimeout, rootKey: options.logPublicKey },
  };
  return onlineSigner(io, signing, 'log-');
}

/** Returns which witnesses to ask, and for how long. @throws {@link UsageError} */
export function cosignChoice({ cosignWait, ...settings }: CosignOptions): CosignChoice {
  return { ...witnessChoice(settings), waitMs: wholeNumber('--cosign-wait', cosignWait) * 1000 };
}

/** Returns the witnesses and the quorum. @throws {@link UsageError} */
export function witnessChoice({ witnesses = [], quorum }: WitnessSettings): WitnessChoice {
  const found = witnesses.map(witnessOf);
  const publicKeys = new Set(found.map(({ key }) => key.jwk.x));
  const demanded = quorum === undefined ? 0 : Number(quorum);
  if (publicKeys.size < found.length)
    throw new UsageError('log.witnesses names the public key of a witness twice');
  if (demanded > found.length) {
    throw new UsageError(`log.quorum is ${demanded}, but log.witnesses has only ${found.length} witnesses`);
  }
  return { witnesses: found, quorum: demanded };
}

function witnessOf({ key, mirror, service }: WitnessConfiguration, index: number): Witness {
  const name = `log.witnesses[${index}]`;
  if ((mirror === undefined) === (service === undefined)) {
    throw new UsageError(`${name} needs either mirror or service`);
  }
  return {
    key: parseNoteKey(key, 'witness', (message) => new UsageError(`${name}.key ${message}`)),
    ...(mirror !== undefined && { mirror }),
    ...(service !== undefined && { service }),
  };
}

function wholeNumber(option: string, text: string): number {
  if (/^(?:0|[1-9][0-9]{0,6})$/.test(text)) return Number(text);
  throw new UsageError(`${option} takes a whole number of 0 or more, not ${JSON.stringify(text)}`);
}
