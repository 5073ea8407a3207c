import { type Command, Option } from 'commander';
import { MAX_BEHIND_SECONDS } from '../../observers/hosts/compare-hosts.js';
import { shortPath } from '../command-line.js';
import { delegationOf } from '../hosts/published-before.js';
import { nextSteps } from '../operating/next-steps.js';
import type { SignerPresence } from '../operating/root-key-condition.js';
import { registryStatus } from '../operating/status.js';
import { addOptions, ISSUERS_OPTION, JSON_OPTION, OUT_OPTION } from '../options/common-options.js';
import { cosignChoice } from '../options/log-options.js';
import { EXCEPTION_OPTIONS, exceptions } from '../options/rule-options.js';
import { type CheckpointSettings, CONFIGURATION_FILE } from '../options/settings.js';
import { assertAddresses, positiveNumber } from '../options/values.js';
import { emit, type Invocation, type Io } from '../terminal/io.js';
import { run } from '../terminal/run.js';
import { sayStatus } from '../terminal/say-status.js';
import { commandSettings, type StatusCommandOptions } from './command-settings.js';
import { ROTATION_FOLDER } from './rotation-options.js';

/** `passport-registry status` */
export function declareStatus(command: Command, io: Invocation): void {
  command
    .addOption(ISSUERS_OPTION)
    .addOption(OUT_OPTION)
    .option('--root-key <file>', 'public JWK of the root key')
    .option('--key <file|env:NAME>', 'private root key; it is looked for, but never read')
    .option('--base-url <url>', 'URL of the live registry')
    .option('--mirror <url...>', 'URLs of the mirrors')
    .option('--max-behind <seconds>', 'how far behind a mirror may be', String(MAX_BEHIND_SECONDS));
  addOptions(command, ...EXCEPTION_OPTIONS)
    .option('--offline', 'ask no host')
    .addOption(
      new Option('--fail-on <level>', 'what ends with exit code 1')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .addOption(JSON_OPTION)
    .action((options: StatusCommandOptions) =>
      run(io, options.json === true, () => status(io, options, command)),
    );
}

/** The files that pin the program. */
const PROGRAM_FILES = ['package.json', 'package-lock.json'];

async function status(io: Io, given: StatusCommandOptions, command: Command): Promise<number> {
  const options = withShortPaths(given);
  const {
    issuers,
    out,
    rootKey,
    key,
    signerCommand,
    baseUrl,
    mirror = [],
    failOn,
    settings,
    config,
  } = options;
  assertAddresses([...(baseUrl === undefined ? [] : [baseUrl]), ...mirror]);
  const own = [
    config ?? CONFIGURATION_FILE,
    rootKey,
    options.checkpointPublicKey,
    delegationOf(out),
    ...PROGRAM_FILES,
  ];
  const found = await registryStatus({
    ownFiles: own.filter((file) => file !== undefined),
    ...{ issuers, out, rootKey, baseUrl, mirrors: mirror, env: io.env, now: Date.now() },
    nextRoots: settings.next_roots,
    onlineKey: options.checkpointPublicKey,
    rotation: ROTATION_FOLDER,
    signer: { key, command: signerCommand },
    onlineSigner: presence(settings.checkpoint),
    logSigner: presence(settings.log),
    exceptions: exceptions(options),
    witnesses: cosignChoice(settings),
    maxBehindSeconds: positiveNumber('--max-behind', options.maxBehind),
    offline: options.offline === true,
  });
  const next = nextSteps(found, commandSettings(options, command, found));
  const { level, ...parts } = found;
  const ok = level !== 'error' && (level !== 'warning' || failOn === 'error');
  if (options.json) emit(io, { ok, level, ...parts, next });
  else sayStatus(io, found, next);
  return ok ? 0 : 1;
}

function presence({ signer = {} }: Pick<CheckpointSettings, 'signer'> = {}): SignerPresence {
  const { key, command } = signer;
  return { key: key && (key.startsWith('env:') ? key : shortPath(key)), command };
}

function withShortPaths(options: StatusCommandOptions): StatusCommandOptions {
  const short = (path: string | undefined) => path && shortPath(path);
  const { settings } = options;
  return {
    ...options,
    rootKey: short(settings.root_key),
    key: short(settings.signer?.key),
    signerCommand: settings.signer?.command,
    baseUrl: settings.base_url,
    mirror: settings.mirrors,
    checkpointPublicKey: short(settings.checkpoint?.public_key),
  };
}
