import type { Command } from 'commander';
import { assertNoKeyText } from '../../generator/signing/key-file.js';

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
