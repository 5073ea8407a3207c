import { parseNoteKey } from '@passport-registry/verifier/core';
import { Option } from 'commander';
import { UsageError } from '../../generator/errors.js';
import type { CosignChoice, LogChoice, Witness } from '../../generator/log/log-choice.js';
import type { Io } from '../terminal/io.js';
import { DependentOption } from './common-options.js';
import { sectionSigner } from './freshness-options.js';
import {
  COSIGN_WAIT,
  hasSigner,
  type Settings,
  type WithSettings,
  type WitnessSettings,
} from './settings.js';

/** The option for the log, of commands that publish a list. The rest is in `log` of registry.yaml. */
export interface LogOptions extends WithSettings {
  cosignLater?: true;
}

/** The option for the cosignatures of witnesses, for the help. The witnesses are in registry.yaml. */
export const COSIGN_OPTION = new Option(
  '--cosign-wait <seconds>',
  `how long to wait for the witnesses in registry.yaml (default: log.wait there, or ${COSIGN_WAIT})`,
);

/** The options for the log, for the help. */
export const LOG_OPTIONS = [
  COSIGN_OPTION,
  new DependentOption(
    '--cosign-later',
    'stop when the list is in the log; `checkpoint`, or the same command, completes the publication',
  ).excludes('--unsigned', 'give --cosign-later to `attach`'),
];

const MIB = 1024 * 1024;

/** Returns the log of a publication. Undefined if no setting is about a log. */
export async function logChoice(
  io: Io,
  { settings, cosignLater }: LogOptions,
): Promise<LogChoice | undefined> {
  const { log = {} } = settings;
  const { origin, witnesses, keep_lists: kept } = log;
  if (origin === undefined && !hasSigner(log) && witnesses === undefined) return undefined;
  return {
    ...cosignChoice(settings),
    origin,
    signer: hasSigner(log) ? await sectionSigner(io, settings, { section: 'log' }) : undefined,
    // `sectionSigner` has compared it with the signer.
    mayReplaceKey: log.public_key !== undefined,
    keepBytes: kept === undefined ? undefined : kept * MIB,
    cosignLater: cosignLater === true,
  };
}

/** Returns which witnesses to ask, and for how long. @throws {@link UsageError} */
export function cosignChoice({ log = {} }: Settings): CosignChoice {
  const { witnesses = [], quorum = 0, wait = COSIGN_WAIT } = log;
  const found = witnesses.map(witnessOf);
  const publicKeys = new Set(found.map(({ key }) => key.jwk.x));
  if (publicKeys.size < found.length)
    throw new UsageError('log.witnesses names the public key of a witness twice');
  if (quorum > found.length) {
    throw new UsageError(`log.quorum is ${quorum}, but log.witnesses has only ${found.length} witnesses`);
  }
  return { witnesses: found, quorum, waitMs: wait * 1000 };
}

function witnessOf({ key, mirror, service }: WitnessSettings, index: number): Witness {
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
