import { existsSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { Command } from 'commander';
import { readText } from '../../generator/files/read-file.js';
import { validateConfiguration } from '../../generator/generated/configuration-validator.js';
import type { RegistryFile, Signer } from '../../generator/generated/settings.js';
import { assertNoKeyText } from '../../generator/signing/key-text.js';
import { parseSettings } from './settings-file.js';

/** A signer: a key or a command. */
export type SignerSettings = Signer & {
  /** What `key` replaces, if an option gives it: that option, and the key in registry.yaml. */
  readonly instead?: { readonly option: string; readonly key: string } | undefined;
};

/** A signer with its public key. */
interface SignerSection {
  readonly signer?: SignerSettings | undefined;
  readonly public_key?: string | undefined;
}

/** The settings for a run of a command: those of registry.yaml, with absolute paths, what its options replace, and defaults. */
export interface Settings extends RegistryFile {
  readonly checkpoint: NonNullable<RegistryFile['checkpoint']>;
  readonly log: NonNullable<RegistryFile['log']>;
}

/**
 * Parses the text of a settings file.
 *
 * @throws {@link ConfigurationRejected}
 */
export function parseRegistrySettings(file: string, text: string): RegistryFile {
  const written = parseSettings<RegistryFile>({ file, text }, validateConfiguration);
  return mapPaths(written, (path) => resolve(dirname(file), path));
}

/** Changes all paths of settings. What a variable of the environment contains has none. */
export function mapPaths<Any extends RegistryFile>(settings: Any, change: (path: string) => string): Any {
  const path = (given: string | undefined) =>
    given === undefined || given.startsWith('env:') ? given : change(given);
  const signerOf = (given: SignerSettings | undefined) =>
    given && { ...given, key: path(given.key), passphrase_file: path(given.passphrase_file) };
  const section = <T extends SignerSection>(given: T | undefined) =>
    given && { ...given, public_key: path(given.public_key), signer: signerOf(given.signer) };
  const { root_key, signer, checkpoint, log, logo } = settings;
  return {
    ...settings,
    root_key: path(root_key),
    signer: signerOf(signer),
    checkpoint: section(checkpoint),
    log: section(log),
    logo: path(logo),
  };
}

/** The options of commands that use settings. */
export interface WithSettings {
  readonly settings: Settings;
  /** The value of `--config`. Undefined if it was not given. */
  readonly config?: string | undefined;
}

/** For how many days a publication lets the online key sign, unless `checkpoint.days_online` says otherwise. */
export const ONLINE_DAYS = 90;

/** Returns the settings for a run of a command: each option in the place of the setting that it replaces. */
function settingsFor(command: Command, written: RegistryFile): Settings {
  // Options before the name of a subcommand also apply.
  const given = (name: string) =>
    command.getOptionValueSourceWithGlobals(name) === 'cli' ? command.optsWithGlobals()[name] : undefined;
  const onlineKey = given('onlineKey');
  const settings: Settings = {
    ...written,
    root_key: given('rootKey') ?? written.root_key,
    base_url: given('baseUrl') ?? written.base_url,
    mirrors: given('mirror') ?? written.mirrors,
    signer: chosenSigner(written.signer, '--key', {
      key: given('key'),
      passphrase_file: given('passphraseFile'),
    }),
    checkpoint: {
      ...written.checkpoint,
      ...(onlineKey !== undefined && { public_key: undefined }),
      signer: chosenSigner(written.checkpoint?.signer, '--online-key', {
        key: onlineKey,
        passphrase_file: given('onlinePassphraseFile'),
      }),
    },
    log: { ...written.log },
  };
  const { root_key, signer, checkpoint, log } = settings;
  const signers = [signer, checkpoint.signer, log.signer];
  const files = signers.flatMap((each) => [each?.key, each?.passphrase_file]);
  for (const file of [...files, root_key, checkpoint.public_key, log.public_key])
    if (file !== undefined) assertNoKeyText(file);
  return settings;
}

/**
 * Returns the signer of a section. A key on the command line replaces that of the file as a whole: it must not be combined
 * with a command from the file. A passphrase alone chooses no key, and belongs to that of the file.
 */
function chosenSigner(
  written: SignerSettings | undefined,
  option: string,
  { key, passphrase_file }: Pick<SignerSettings, 'key' | 'passphrase_file'>,
): SignerSettings | undefined {
  if (key !== undefined)
    return {
      key,
      passphrase_file,
      instead: written?.key === undefined ? undefined : { option, key: written.key },
    };
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
