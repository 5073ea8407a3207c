import { type Command, Option } from 'commander';
import { UsageError } from '../../generator/errors.js';

/** Adds options that several commands have, in the order of the help. */
export function addOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

export const ISSUERS_OPTION = new Option('--issuers <dir>', 'folder of the records').default('issuers');
export const OUT_OPTION = new Option('--out <dir>', 'folder of the published tree').default('dist');
export const OFFLINE_OPTION = new Option('--offline', 'ask no host');
export const JSON_OPTION = new Option('--json', 'report as JSON on stdout');

/** Returns an option that takes a number from 1, for the help. */
export function numberOption(flags: string, description: string, max = 99_999): Option {
  const option = new Option(flags, description);
  return option.argParser((text: string) => {
    if (/^[1-9]\d{0,4}$/.test(text) && Number(text) <= max) return Number(text);
    throw new UsageError(`${option.long} takes a number from 1 to ${max}`);
  });
}

/** Returns the option for the port of a server, for the help. */
export function portOption(port: number): Option {
  return new Option('--port <number>', 'port to listen on').default(port).argParser((text: string) => {
    if (/^\d{1,5}$/.test(text) && Number(text) <= 65_535) return Number(text);
    throw new UsageError('--port takes a number from 0 to 65535');
  });
}

/** The option for the age of what a mirror serves, for the help. */
export const MAX_BEHIND_OPTION = numberOption(
  '--max-behind <seconds>',
  'how far behind a mirror may be',
).default(3600);
