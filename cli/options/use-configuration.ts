import { existsSync } from 'node:fs';
import type { Command } from 'commander';
import { assertNoKeyText } from '../../generator/signing/key-text.js';
import { loadSettings, settingsFor } from './settings.js';

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
