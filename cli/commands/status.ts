import { type Command, Option } from 'commander';
import { MAX_BEHIND_SECONDS } from '../../observers/hosts/compare-hosts.js';
import { shellWord, shortPath } from '../command-line.js';
import { delegationOf } from '../hosts/published-before.js';
import { type Condition, LEVELS } from '../operating/condition.js';
import { nextSteps } from '../operating/next-steps.js';
import type { SignerPresence } from '../operating/root-key-condition.js';
import { type RegistryStatus, registryStatus } from '../operating/status.js';
import type { CommandSettings, NextStep } from '../operating/steps/next-step.js';
import { addOptions, ISSUERS_OPTION, JSON_OPTION, OUT_OPTION } from '../options/common-options.js';
import {
  cosignChoice,
  EXCEPTION_OPTIONS,
  type ExceptionOptions,
  exceptions,
} from '../options/publication-options.js';
import {
  asksMirror,
  type CheckpointSettings,
  CONFIGURATION_FILE,
  hasSigner,
  type WithSettings,
} from '../options/settings.js';
import { assertAddresses, positiveNumber } from '../options/values.js';
import { count, emit, type Io, say } from '../terminal/io.js';
import { ROTATION_FOLDER } from './rotation-options.js';

/** `passport-registry status` */
export function declareStatus(command: Command, io: Io) {
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
    .addOption(JSON_OPTION);
  return (options: StatusCommandOptions) => status(io, options, command);
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

/** The options of `status`. */
interface StatusCommandOptions extends ExceptionOptions, WithSettings {
  issuers: string;
  out: string;
  rootKey?: string | undefined;
  key?: string | undefined;
  /** From registry.yaml only. */
  signerCommand?: string | undefined;
  /** From registry.yaml only. */
  checkpointPublicKey?: string | undefined;
  baseUrl?: string | undefined;
  mirror?: readonly string[] | undefined;
  maxBehind: string;
  offline?: true;
  failOn: 'error' | 'warning';
  json?: true;
}

/**
 * Returns the options of the commands that `status` proposes. Options from registry.yaml need no repetition. What neither the file
 * nor the command line has is not in a command: the reason says what to name first.
 */
function commandSettings(
  options: StatusCommandOptions,
  command: Command,
  { rootKey: { development } }: RegistryStatus,
): CommandSettings {
  const { config, issuers, out, rootKey, baseUrl, key, signerCommand, checkpointPublicKey } = options;
  /** An option that was given on the command line. */
  const given = (name: string, flag: string, value: string | undefined) =>
    value !== undefined && command.getOptionValueSource(name) === 'cli' ? [flag, shellWord(value)] : [];
  const rootKeyOptions = given('rootKey', '--root-key', rootKey);
  return {
    ...{ config, issuers: shellWord(issuers), out: shellWord(out), rootKeyOptions },
    ...{ baseUrl: baseUrl && shellWord(baseUrl) },
    rootKeyFile: rootKey && shellWord(rootKey),
    hasRootSigner: development || key !== undefined || signerCommand !== undefined,
    rootOptions: [...given('key', '--key', key), ...rootKeyOptions],
    productionOptions: development ? [] : ['--production'],
    buildOptions: [
      ...given('issuers', '--issuers', issuers),
      ...given('out', '--out', out),
      ...(options.allowExampleNames ? ['--allow-example-names'] : []),
    ],
    overrideOptions:
      command.getOptionValueSource('override') === 'cli'
        ? (options.settings.transitions?.overrides ?? []).flatMap(({ issuer_id, rule }) => [
            '--override',
            shellWord(`${issuer_id}:${rule}`),
          ])
        : [],
    hasOnlineKey: hasSigner(options.settings.checkpoint),
    asksMirror: asksMirror(options.settings),
    onlinePublicKey: checkpointPublicKey && shellWord(checkpointPublicKey),
  };
}

const MARKS = { error: 'FAILED ', warning: 'warning', note: 'note   ', ok: 'ok     ' } as const;

/** Prints the status of a registry for people, most urgent parts first, and the one thing to do next. */
function sayStatus(io: Io, status: RegistryStatus, next: readonly NextStep[]): void {
  const lines: readonly (readonly [part: string, condition: Condition])[] = [
    // Of one level, first what may leave an issuer that is stopped to those who trust it.
    ['live', status.live],
    ...status.mirrors.map((mirror) => ['mirror', mirror] as const),
    ...(status.hold.issuers?.length === 0 ? [] : [['hold', status.hold] as const]),
    ['changes', status.changes],
    ['root key', status.rootKey],
    ...(status.holders.isAbsent ? [] : [['holders', status.holders] as const]),
    ...(status.rotation.state === 'none' && status.rotation.outdated.length === 0
      ? []
      : [['rotation', status.rotation] as const]),
    ['tree', status.tree],
    ['list', status.list],
    ['publication', status.publication],
    ...(status.log.isAbsent ? [] : [['log', status.log] as const]),
    ['delegation', status.delegation],
    ['checkpoint', status.checkpoint],
  ];
  for (const level of LEVELS) {
    for (const [part, condition] of lines) {
      if (condition.level === level) sayCondition(io, part, condition);
    }
  }
  say(io, '');
  const [first, ...others] = next;
  if (first === undefined) {
    say(io, 'There is nothing to do.');
    return;
  }
  say(io, `Next: ${first.reason}${first.command === undefined ? '' : ':'}`);
  if (first.command !== undefined) say(io, `  ${first.command}`);
  if (status.live.keep !== undefined) {
    sayRest(io, status, others);
    return;
  }
  // Each step changes what the next one is.
  if (others.length > 0)
    say(io, `Then run \`status\` again: ${count(others.length, 'step follows', 'steps follow')}.`);
}

function sayCondition(io: Io, part: string, { level, message, details = [] }: Condition): void {
  const start = `${MARKS[level]} ${part.padEnd(PART_WIDTH)} `;
  say(io, `${start}${message}`);
  if (details.length > 0) say(io, `${' '.repeat(start.length)}${details.join('; ')}`);
}

/** Of two histories, the first step may replace the tree, and nothing would name the others any more. */
function sayRest(io: Io, { tree, live }: RegistryStatus, others: readonly NextStep[]): void {
  const commands = others.flatMap(({ command, reason }) => command ?? reason);
  if (commands.length > 0) say(io, 'Then:');
  for (const command of commands) say(io, `  ${command}`);
  const other = live.keep === 'tree' ? live.url : tree.folder;
  say(io, `Only if others have seen that of ${other} instead: see "Two histories" in status.md.`);
}

const PART_WIDTH = 'publication'.length;
