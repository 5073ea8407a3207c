import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { assertNoKeyText } from '../../generator/signing/key-text.js';
import { loadSettings, type Settings, type SignerSettings, settingsFor } from './settings.js';

/** The configuration file that is used by default. */
export const CONFIGURATION_FILE = 'registry.yaml';

type Values = Record<string, unknown>;

/** Lets a command take options from registry.yaml that are not given on the command line. To be called before its action. */
export function useConfiguration(command: Command): void {
  const named: string | undefined = command.optsWithGlobals()['config'];
  const isThere = named !== undefined || existsSync(CONFIGURATION_FILE);
  const settings = isThere ? loadSettings(named ?? CONFIGURATION_FILE) : {};
  command.setOptionValueWithSource('settings', settingsFor(command, settings), 'config');
  command.setOptionValueWithSource('config', named, 'cli');
  for (const group of optionGroups(settings)) applyGroup(command, group);
}

/**
 * Asserts that no option that names a file contains a private key instead, whether the option is on the command line or
 * in registry.yaml. Commands print the names of files.
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

/** Returns the options that the configuration sets, in groups. The options of a group apply together or not at all. */
function optionGroups({
  base_url,
  mirrors,
  root_key,
  holders,
  signer,
  delegation = {},
  transitions = {},
}: Settings): Values[] {
  return [
    { rootKey: root_key },
    { baseUrl: base_url },
    { registry: base_url },
    { mirror: mirrors },
    { holders },
    { days: delegation.days },
    { override: transitions.overrides },
    signerValues(signer),
  ];
}

/** What the command line has no options for: a command that signs in place of `--key`. */
const OF_SIGNER = ['signerCommand', 'signerInput', 'signerTimeout'];

function signerValues({ key, passphrase_file, command, input, timeout }: SignerSettings = {}): Values {
  return {
    key,
    passphraseFile: passphrase_file,
    signerCommand: command,
    signerInput: input,
    signerTimeout: timeout,
  };
}

/**
 * Applies a group of options from the configuration, unless one of them is on the command line: a key on the command
 * line must not be combined with a signer command from the file. A passphrase alone chooses no key, and belongs to that of
 * the file.
 */
function applyGroup(command: Command, group: Values): void {
  const options = command.options.map((option) => option.attributeName());
  const known = options.includes('key') ? [...options, ...OF_SIGNER] : options;
  const names = Object.keys(group).filter((name) => known.includes(name));
  const given = names.filter((name) => command.getOptionValueSource(name) === 'cli');
  if (given.some((name) => !/passphraseFile$/i.test(name))) return;
  for (const name of names.filter((one) => !given.includes(one))) {
    const value = group[name];
    if (value === undefined) continue;
    // The command line gives numbers as strings.
    const written = typeof value === 'number' ? String(value) : value;
    command.setOptionValueWithSource(name, written, 'config');
  }
}
