import { type Command, Option } from 'commander';
import { UsageError } from '../../generator/errors.js';

/** Adds options that several commands have, in the order of the help. */
export function addOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

/** The folder of the records. Commands that also take files have no default. */
export const issuersOption = () => new Option('--issuers <dir>', 'folder of the records');
export const ISSUERS_OPTION = issuersOption().default('issuers');
export const OUT_OPTION = new Option('--out <dir>', 'folder of the published tree').default('dist');
export const OFFLINE_OPTION = new Option('--offline', 'ask no host');
export const JSON_OPTION = new Option('--json', 'report as JSON on stdout');
export const PRODUCTION_OPTION = new Option(
  '--production',
  'no development key, no example names (default in CI)',
);
export const YES_OPTION = new Option('--yes', 'do not ask');
export const UNSIGNED_OPTION = new Option('--unsigned <dir>', 'write a signing request to a new folder');
export const ROOT_KEY_OPTION = new Option('--root-key <file>', 'public JWK of the root key');
export const BASE_URL_OPTION = new Option('--base-url <url>', 'URL of the registry');
export const FAIL_ON_OPTION = new Option('--fail-on <level>', 'error or warning: what ends with exit code 1')
  .choices(['error', 'warning'])
  .default('error');

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

/** The option of commands that can run until they are stopped, for the help. */
export const EVERY_OPTION = numberOption(
  '--every <seconds>',
  'keep running, and check again after this time',
);

/** The option for the age of what a mirror serves, for the help. */
export const MAX_BEHIND_OPTION = numberOption(
  '--max-behind <seconds>',
  'how far behind a mirror may be',
).default(3600);
