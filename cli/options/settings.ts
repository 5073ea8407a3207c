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
interface CheckpointSettings extends SignerSection {
  readonly hours?: number;
}

/** A witness of the log: its key, and where it answers. */
export interface WitnessSettings {
  readonly key: string;
  readonly mirror?: string;
  readonly service?: string;
}

/** The log, its key and its witnesses. */
interface LogSettings extends SignerSection {
  readonly origin?: string;
  /** MiB. */
  readonly keep_lists?: number;
  readonly quorum?: number;
  /** Seconds. */
  readonly wait?: number;
  readonly witnesses?: readonly WitnessSettings[];
}

/** The content of registry.yaml, according to schemas/registry.schema.json, with absolute paths. */
interface WrittenSettings extends RegistryDescription {
  readonly mirrors?: readonly string[] | undefined;
  readonly base_url?: string | undefined;
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

/** The settings for a run of a command: those of registry.yaml, what its options replace, and defaults. */
export interface Settings extends WrittenSettings {
  readonly checkpoint: CheckpointSettings & { readonly hours: number };
  readonly log: LogSettings & { readonly wait: number };
  readonly delegation: { readonly days: number };
  readonly overrides: readonly TransitionOverride[];
}

/** Whether a witness is a mirror, which sees only what is published. A service is sent what it cosigns. */
export function asksMirror({ log }: Settings): boolean {
  return log.witnesses?.some(({ mirror }) => mirror !== undefined) === true;
}

/**
 * Parses the text of a settings file.
 *
 * @throws {@link ConfigurationRejected}
 */
export function parseRegistrySettings(file: string, text: string): WrittenSettings {
  const written = parseSettings<WrittenSettings>({ file, text }, validateConfiguration, unreadableAccent);
  return mapPaths(written, (path) => resolve(dirname(file), path));
}

function unreadableAccent({ page }: WrittenSettings, parsed: ParsedFile): Diagnostic[] {
  const fault = page?.accent === undefined ? undefined : accentFault(page.accent);
  if (fault === undefined) return [];
  const message = `page.accent is ${page?.accent}, which nobody could read`;
  return [
    diagnostic(parsed, parsed.locate(['page', 'accent']), { rule: 'unknown-value', message, ...fault }),
  ];
}

/** Changes all paths of settings. What a variable of the environment contains has none. */
export function mapPaths<Any extends WrittenSettings>(settings: Any, change: (path: string) => string): Any {
  const path = (given: string | undefined) =>
    given === undefined || given.startsWith('env:') ? given : change(given);
  const signerOf = (given: SignerSettings | undefined) =>
    given && { ...given, key: path(given.key), passphrase_file: path(given.passphrase_file) };
  const section = <T extends SignerSection>(given: T | undefined) =>
    given && { ...given, public_key: path(given.public_key), signer: signerOf(given.signer) };
  const { root_key, holders, signer, checkpoint, log, page } = settings;
  return {
    ...settings,
    root_key: path(root_key),
    holders: path(holders),
    signer: signerOf(signer),
    checkpoint: section(checkpoint),
    log: section(log),
    page: page && { ...page, logo: path(page.logo) },
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

/** Returns the settings for a run of a command: each option in the place of the setting that it replaces. */
function settingsFor(command: Command, written: WrittenSettings): Settings {
  // Options before the name of a subcommand also apply.
  const given = (name: string) =>
    command.getOptionValueSourceWithGlobals(name) === 'cli' ? command.optsWithGlobals()[name] : undefined;
  const onlineKey = given('onlineKey');
  const settings: Settings = {
    ...written,
    root_key: given('rootKey') ?? written.root_key,
    base_url: given('baseUrl') ?? written.base_url,
    mirrors: given('mirror') ?? written.mirrors,
    holders: given('holders') ?? written.holders,
    signer: chosenSigner(written.signer, { key: given('key'), passphrase_file: given('passphraseFile') }),
    checkpoint: {
      ...written.checkpoint,
      ...(onlineKey !== undefined && { public_key: undefined }),
      hours: given('hours') ?? written.checkpoint?.hours ?? CHECKPOINT_HOURS,
      signer: chosenSigner(written.checkpoint?.signer, {
        key: onlineKey,
        passphrase_file: given('onlinePassphraseFile'),
      }),
    },
    log: { ...written.log, wait: given('cosignWait') ?? written.log?.wait ?? COSIGN_WAIT },
    delegation: { days: given('days') ?? written.delegation?.days ?? DELEGATION_DAYS },
    overrides: given('override') ?? written.transitions?.overrides ?? [],
  };
  const { root_key, holders, signer, checkpoint, log } = settings;
  const signers = [signer, checkpoint.signer, log.signer];
  const files = signers.flatMap((each) => [each?.key, each?.passphrase_file]);
  for (const file of [...files, root_key, holders, checkpoint.public_key, log.public_key])
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
  const file = named ?? CONFIGURATION_FILE;
  const written = isThere ? parseRegistrySettings(file, readText(file)) : {};
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
