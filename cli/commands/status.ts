import { type Command, Option } from 'commander';
import { shellWord, shortPath } from '../command-line.js';
import { type Condition, LEVELS } from '../operating/condition.js';
import { nextSteps } from '../operating/next-steps.js';
import { ROTATION_FOLDER } from '../operating/rotation-files.js';
import { type RegistryStatus, registryStatus } from '../operating/status.js';
import type { CommandSettings, NextStep } from '../operating/steps/next-step.js';
import {
  addOptions,
  ISSUERS_OPTION,
  JSON_OPTION,
  MAX_BEHIND_OPTION,
  OFFLINE_OPTION,
  OUT_OPTION,
} from '../options/common-options.js';
import {
  cosignChoice,
  EXCEPTION_OPTIONS,
  exceptions,
  type PublicationOptions,
} from '../options/publication-options.js';
import { CONFIGURATION_FILE, hasSigner, mapPaths } from '../options/settings.js';
import { assertAddresses } from '../options/values.js';
import { count, emit, type Io, type Output, writeLine } from '../terminal/io.js';

/** `passport-registry status` */
export function declareStatus(command: Command, io: Io) {
  command
    .addOption(ISSUERS_OPTION)
    .addOption(OUT_OPTION)
    .option('--root-key <file>', 'public JWK of the root key')
    .option('--key <file|env:NAME>', 'private root key; it is looked for, but never read')
    .option('--base-url <url>', 'URL of the live registry')
    .option('--mirror <url...>', 'URLs of the mirrors')
    .addOption(MAX_BEHIND_OPTION);
  addOptions(command, ...EXCEPTION_OPTIONS)
    .addOption(OFFLINE_OPTION)
    .addOption(
      new Option('--fail-on <level>', 'what ends with exit code 1')
        .choices(['error', 'warning'])
        .default('error'),
    )
    .addOption(JSON_OPTION);
  return (options: Options) => status(io, options, command);
}

interface Options extends PublicationOptions {
  issuers: string;
  out: string;
  maxBehind: number;
  offline?: true;
  failOn: 'error' | 'warning';
  json?: true;
}

/** The files that pin the program. */
const PROGRAM_FILES = ['package.json', 'package-lock.json'];

async function status(io: Io, given: Options, command: Command): Promise<number> {
  const settings = mapPaths(given.settings, shortPath);
  const options = { ...given, settings };
  const { issuers, out, failOn, config } = options;
  const { root_key: rootKey, base_url: baseUrl, mirrors = [], checkpoint, log } = settings;
  assertAddresses(baseUrl === undefined ? mirrors : [baseUrl, ...mirrors]);
  const onlineKey = checkpoint.public_key;
  const own = [config ?? CONFIGURATION_FILE, rootKey, onlineKey, ...PROGRAM_FILES];
  const found = await registryStatus({
    ownFiles: own.filter((file) => file !== undefined),
    ...{ issuers, out, rootKey, onlineKey, baseUrl, mirrors, env: io.env, now: Date.now() },
    onlineMayHold: checkpoint.may_hold !== false,
    nextRoots: settings.next_roots,
    rotation: ROTATION_FOLDER,
    signer: settings.signer ?? {},
    onlineSigner: checkpoint.signer ?? {},
    logSigner: log.signer ?? {},
    exceptions: exceptions(options),
    witnesses: cosignChoice(settings),
    maxBehindSeconds: options.maxBehind,
    offline: options.offline === true,
  });
  const next = nextSteps(found, commandSettings(options, command, found));
  const { level, ...parts } = found;
  const ok = level !== 'error' && (level !== 'warning' || failOn === 'error');
  if (options.json) emit(io, { ok, level, ...parts, next });
  else writeStatus(io.stdout, found, next);
  return ok ? 0 : 1;
}

/**
 * Returns the options of the commands that `status` proposes. Options from registry.yaml need no repetition. What neither the file
 * nor the command line has is not in a command: the reason says what to name first.
 */
function commandSettings(
  { config, issuers, out, settings, allowExampleNames }: Options,
  command: Command,
  { rootKey: { development } }: RegistryStatus,
): CommandSettings {
  const { root_key: rootKey, base_url: baseUrl, signer, checkpoint, overrides } = settings;
  /** An option that was given on the command line. */
  const given = (name: string, flag: string, values: readonly (string | undefined)[]) =>
    command.getOptionValueSource(name) === 'cli'
      ? values.flatMap((value) => (value === undefined ? [] : [flag, shellWord(value)]))
      : [];
  const rootKeyOptions = given('rootKey', '--root-key', [rootKey]);
  const issuersOptions = given('issuers', '--issuers', [issuers]);
  const outOptions = given('out', '--out', [out]);
  return {
    ...{ config, issuers: shellWord(issuers), out: shellWord(out), rootKeyOptions },
    baseUrl: baseUrl && shellWord(baseUrl),
    rootKeyFile: rootKey && shellWord(rootKey),
    hasRootSigner: development || hasSigner(settings),
    rootOptions: [...given('key', '--key', [signer?.key]), ...rootKeyOptions],
    productionOptions: development ? [] : ['--production'],
    ...{ issuersOptions, outOptions },
    buildOptions: [...issuersOptions, ...outOptions, ...(allowExampleNames ? ['--allow-example-names'] : [])],
    overrideOptions: given(
      'override',
      '--override',
      overrides.map(({ issuer_id, rule }) => `${issuer_id}:${rule}`),
    ),
    hasOnlineKey: hasSigner(checkpoint),
  };
}

const MARKS = { error: 'FAILED ', warning: 'warning', note: 'note   ', ok: 'ok     ' } as const;

/** Prints the status of a registry for people, most urgent parts first, and the one thing to do next. */
function writeStatus(output: Output, status: RegistryStatus, next: readonly NextStep[]): void {
  const lines: readonly (readonly [part: string, condition: Condition])[] = [
    // Of one level, first what may leave an issuer that is stopped to those who trust it.
    ['live', status.live],
    ...status.mirrors.map((mirror) => ['mirror', mirror] as const),
    ...(status.hold.issuers?.length === 0 ? [] : [['hold', status.hold] as const]),
    ['changes', status.changes],
    ['root key', status.rootKey],
    ...(status.rotation.state === 'none' && status.rotation.outdated.length === 0
      ? []
      : [['rotation', status.rotation] as const]),
    ['tree', status.tree],
    ['list', status.list],
    ['publication', status.publication],
    ...(status.log.isAbsent ? [] : [['log', status.log] as const]),
    ['online keys', status.online],
    ['checkpoint', status.checkpoint],
  ];
  for (const level of LEVELS) {
    for (const [part, condition] of lines) {
      if (condition.level === level) writeCondition(output, part, condition);
    }
  }
  writeLine(output, '');
  const [first, ...others] = next;
  if (first === undefined) {
    writeLine(output, 'There is nothing to do.');
    return;
  }
  writeLine(output, `Next: ${first.reason}${first.command === undefined ? '' : ':'}`);
  if (first.command !== undefined) writeLine(output, `  ${first.command}`);
  if (status.live.keep !== undefined) {
    writeRest(output, status, others);
    return;
  }
  // Each step changes what the next one is.
  if (others.length > 0)
    writeLine(output, `Then run \`status\` again: ${count(others.length, 'step follows', 'steps follow')}.`);
}

function writeCondition(output: Output, part: string, { level, message, details = [] }: Condition): void {
  const start = `${MARKS[level]} ${part.padEnd(PART_WIDTH)} `;
  writeLine(output, `${start}${message}`);
  if (details.length > 0) writeLine(output, `${' '.repeat(start.length)}${details.join('; ')}`);
}

/** Of two histories, the first step may replace the tree, and nothing would name the others any more. */
function writeRest(output: Output, { tree, live }: RegistryStatus, others: readonly NextStep[]): void {
  const commands = others.flatMap(({ command, reason }) => command ?? reason);
  if (commands.length > 0) writeLine(output, 'Then:');
  for (const command of commands) writeLine(output, `  ${command}`);
  const other = live.keep === 'tree' ? live.url : tree.folder;
  writeLine(output, `Only if others have seen that of ${other} instead: see "Two histories" in status.md.`);
}

const PART_WIDTH = 'publication'.length;
