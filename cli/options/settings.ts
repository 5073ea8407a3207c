import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { type Diagnostic, diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { readText } from '../../generator/files/read-file.js';
import { validateConfiguration } from '../../generator/generated/configuration-validator.js';
import type { ParsedFile } from '../../generator/records/yaml/parse.js';
import type { TransitionOverride } from '../../generator/review/forbidden-changes.js';
import type { SignerInput } from '../../generator/signing/command-signer.js';
import { assertNoKeyText } from '../../generator/signing/key-text.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import { accentFault } from '../../generator/tree/site/accent.js';
import type { PageSettings } from '../../generator/tree/site/page-settings.js';
import type { CommandPlace } from '../command-line.js';
import { parseSettings } from './settings-file.js';
import { positiveNumber, wholeNumber } from './values.js';

/** A signer: a key or a command. */
export interface SignerSettings {
  readonly key?: string | undefined;
  readonly passphrase_file?: string | undefined;
  readonly command?: string | undefined;
  readonly input?: SignerInput | undefined;
  /** Seconds. */
  readonly timeout?: number | undefined;
}

/** A signer with its public key. */
interface SignerSection {
  readonly signer?: SignerSettings | undefined;
  readonly public_key?: string | undefined;
}

/** The online key, and the validity of the checkpoints that it signs. */
export interface CheckpointSettings extends SignerSection {
  readonly hours?: number;
}

/** A witness of the log: its key, and where it answers. */
export interface WitnessSettings {
  readonly key: string;
  readonly mirror?: string;
  readonly service?: string;
}

/** The log, its key and its witnesses. */
export interface LogSettings extends SignerSection {
  readonly origin?: string;
  /** MiB. */
  readonly keep_lists?: number;
  readonly quorum?: number;
  /** Seconds. */
  readonly wait?: number;
  readonly witnesses?: readonly WitnessSettings[];
}

/** Whether a witness is a mirror, which sees only what is published. A service is sent what it cosigns. */
export function asksMirror({ log }: Pick<Settings, 'log'>): boolean {
  return log?.witnesses?.some(({ mirror }) => mirror !== undefined) === true;
}

/**
 * The settings of a registry: the content of registry.yaml, according to schemas/registry.schema.json, with absolute paths. A
 * run of a command replaces what its options give otherwise, each in its place.
 */
export interface Settings extends RegistryDescription {
  readonly mirrors?: readonly string[];
  readonly base_url?: string;
  readonly root_key?: string | undefined;
  readonly holders?: string | undefined;
  readonly next_roots?: readonly string[];
  readonly precompress?: boolean;
  readonly statements?: boolean;
  readonly page?: Omit<PageSettings, 'baseUrl'> | undefined;
  readonly signer?: SignerSettings | undefined;
  readonly checkpoint?: CheckpointSettings | undefined;
  readonly log?: LogSettings | undefined;
  readonly delegation?: { readonly days?: number };
  readonly transitions?: { readonly overrides?: readonly TransitionOverride[] };
}

/**
 * Reads a settings file.
 *
 * @throws {@link ConfigurationRejected} | {@link IoFailed}
 */
function loadSettings(file: string): Settings {
  return parseRegistrySettings(file, readText(file));
}

/**
 * Parses the text of a settings file.
 *
 * @throws {@link ConfigurationRejected}
 */
export function parseRegistrySettings(file: string, text: string): Settings {
  const checks = { validate: validateConfiguration, inspect: unreadableAccent };
  return withAbsolutePaths(parseSettings<Settings>(file, text, checks), dirname(file));
}

function unreadableAccent({ page }: Settings, parsed: ParsedFile): Diagnostic[] {
  const fault = page?.accent === undefined ? undefined : accentFault(page.accent);
  if (fault === undefined) return [];
  const message = `page.accent is ${page?.accent}, which nobody could read`;
  return [
    diagnostic(parsed, parsed.locate(['page', 'accent']), { rule: 'unknown-value', message, ...fault }),
  ];
}

function withAbsolutePaths(settings: Settings, folder: string): Settings {
  const absolute = (path: string | undefined) =>
    path === undefined || path.startsWith('env:') ? path : resolve(folder, path);
  const signerOf = (signer: SignerSettings | undefined) =>
    signer && { ...signer, key: absolute(signer.key), passphrase_file: absolute(signer.passphrase_file) };
  const { root_key, holders, signer, checkpoint, log, page } = settings;
  const online = <T extends SignerSection>(given: T) => ({
    ...given,
    public_key: absolute(given.public_key),
    signer: signerOf(given.signer),
  });
  return {
    ...settings,
    root_key: absolute(root_key),
    holders: absolute(holders),
    signer: signerOf(signer),
    checkpoint: checkpoint && online(checkpoint),
    log: log && online(log),
    page: page && { ...page, logo: absolute(page.logo) },
  };
}

/** The options of commands that use settings, and `--config` if it names their file. */
export interface WithSettings extends CommandPlace {
  readonly settings: Settings;
}

/** How long a checkpoint is valid, in hours, unless `checkpoint.hours` says otherwise. */
export const CHECKPOINT_HOURS = 24;

/** How long a delegation is valid, in days, unless `delegation.days` says otherwise. */
export const DELEGATION_DAYS = 90;

/** How long to wait for witnesses, in seconds, unless `log.wait` says otherwise. */
export const COSIGN_WAIT = 60;

/** The settings that an option replaces as they are. */
const REPLACED = {
  root_key: 'rootKey',
  base_url: 'baseUrl',
  mirrors: 'mirror',
  holders: 'holders',
} as const;

/** Returns the settings for a run of a command. @throws {@link UsageError} if an option is not what its place takes */
function settingsFor(command: Command, written: Settings): Settings {
  // Options before the name of a subcommand also apply.
  const given = (name: string) =>
    command.getOptionValueSourceWithGlobals(name) === 'cli' ? command.optsWithGlobals()[name] : undefined;
  const replaced = Object.entries(REPLACED).map(([setting, option]) => [setting, given(option)]);
  const [hours, wait, days, overrides] = ['hours', 'cosignWait', 'days', 'override'].map(given);
  const onlineKey = given('onlineKey');
  const settings: Settings = {
    ...written,
    ...Object.fromEntries(replaced.filter(([, value]) => value !== undefined)),
    signer: chosenSigner(written.signer, { key: given('key'), passphrase_file: given('passphraseFile') }),
    checkpoint: {
      ...written.checkpoint,
      ...(onlineKey !== undefined && { public_key: undefined }),
      ...(hours !== undefined && { hours: positiveNumber('--hours', hours) }),
      signer: chosenSigner(written.checkpoint?.signer, {
        key: onlineKey,
        passphrase_file: given('onlinePassphraseFile'),
      }),
    },
    log: { ...written.log, ...(wait !== undefined && { wait: wholeNumber('--cosign-wait', wait) }) },
    delegation: {
      ...written.delegation,
      ...(days !== undefined && { days: positiveNumber('--days', days) }),
    },
    transitions: { ...written.transitions, ...(overrides !== undefined && { overrides }) },
  };
  const { root_key, holders, checkpoint, log } = settings;
  const signers = [settings.signer, checkpoint?.signer, log?.signer];
  const files = signers.flatMap((signer) => [signer?.key, signer?.passphrase_file]);
  for (const file of [...files, root_key, holders, checkpoint?.public_key, log?.public_key])
    if (file !== undefined) assertNoKeyText(file);
  return settings;
}

/**
 * Returns the signer of a section. A key on the command line replaces that of the file as a whole: it must not be combined
 * with a command from the file. A passphrase alone chooses no key, and belongs to that of the file.
 */
function chosenSigner(
  written: SignerSettings | undefined,
  { key, passphrase_file }: Pick<SignerSettings, 'key' | 'passphrase_file'>,
): SignerSettings | undefined {
  if (key !== undefined) return { key, passphrase_file };
  return passphrase_file === undefined ? written : { ...written, passphrase_file };
}

/** Whether a section has a signer: a key or a command. */
export function hasSigner({ signer }: SignerSection = {}): boolean {
  return signer?.key !== undefined || signer?.command !== undefined;
}

/** The configuration file that is used by default. */
export const CONFIGURATION_FILE = 'registry.yaml';

/** Gives a command its settings: those of registry.yaml, and in their places what the command line says. To be called before its action. */
export function useConfiguration(command: Command): void {
  const named: string | undefined = command.optsWithGlobals()['config'];
  const isThere = named !== undefined || existsSync(CONFIGURATION_FILE);
  const written = isThere ? loadSettings(named ?? CONFIGURATION_FILE) : {};
  command.setOptionValueWithSource('settings', settingsFor(command, written), 'config');
  command.setOptionValueWithSource('config', named, 'cli');
}

/**
 * Asserts that no option that names a file contains a private key instead. Commands print the names of files.
 *
 * @throws {@link UsageError}
 */
export function assertFilesNamed(command: Command): void {
  for (const option of command.options) {
    if (!option.flags.includes('<file')) continue;
    const value: unknown = command.getOptionValue(option.attributeName());
    for (const name of [value].flat()) if (typeof name === 'string') assertNoKeyText(name);
  }
  if (command.parent !== null) assertFilesNamed(command.parent);
}
