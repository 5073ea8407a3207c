import { type Command, Option } from 'commander';

/** Adds options that several commands have, in the order of the help. */
export function addOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

export const ISSUERS_OPTION = new Option('--issuers <dir>', 'folder of the records').default('issuers');
export const OUT_OPTION = new Option('--out <dir>', 'folder of the published tree').default('dist');
export const JSON_OPTION = new Option('--json', 'report as JSON on stdout');
