import { DAY_MS, MAX_AGE_MS } from '@passport-registry/verifier/core';
import { type Command, Option } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { positiveNumber } from './values.js';

/** Adds options that several commands have, in the order of the help. */
export function addOptions(command: Command, ...options: readonly Option[]): Command {
  for (const option of options) command.addOption(option);
  return command;
}

export const ISSUERS_OPTION = new Option('--issuers <dir>', 'folder of the records').default('issuers');
export const OUT_OPTION = new Option('--out <dir>', 'folder of the published tree').default('dist');
export const JSON_OPTION = new Option('--json', 'report as JSON on stdout');

/** Another option of the same command, and what to do if the two do not fit. */
interface Condition {
  /** Its flag, such as `--share`. */
  readonly other: string;
  readonly remedy: string;
}

/** An option that has an effect only beside another one, or only without it. {@link assertEffective} is the judge. */
export class DependentOption extends Option {
  readonly needed: Condition[] = [];
  readonly excluded: Condition[] = [];

  /** Declares that the option has no effect without another one. A command without the other one has no such condition. */
  needs(other: string, remedy = `pass ${other}, too, or leave it out`): this {
    this.needed.push({ other, remedy });
    return this;
  }

  /** Declares that the option cannot be given beside others. A command without the others has no such condition. */
  excludes(others: string | readonly string[], remedy = 'leave out one of the two'): this {
    this.excluded.push(...[others].flat().map((other) => ({ other, remedy })));
    return this;
  }
}

/**
 * Asserts that each option on the command line has an effect: its user would believe that it was obeyed.
 *
 * @throws {@link UsageError}
 */
export function assertEffective(command: Command): void {
  for (const option of command.options) {
    if (!(option instanceof DependentOption) || !isGiven(command, option)) continue;
    const { long, needed, excluded } = option;
    const isOther = ({ other }: Condition, given: boolean) =>
      command.options.some((each) => each.long === other && isGiven(command, each) === given);
    const missing = needed.find((condition) => isOther(condition, false));
    if (missing !== undefined)
      throw new UsageError(`${long} has no effect without ${missing.other}: ${missing.remedy}`);
    const rival = excluded.find((condition) => isOther(condition, true));
    if (rival !== undefined)
      throw new UsageError(`${long} and ${rival.other} exclude each other: ${rival.remedy}`);
  }
}

/** Whether an option is on the command line. `--hold` and `--no-hold` have one value. */
function isGiven(command: Command, option: Option): boolean {
  const name = option.attributeName();
  return (
    command.getOptionValueSource(name) === 'cli' && option.negate === (command.getOptionValue(name) === false)
  );
}

/** The formats of diagnostics: text for people goes to stderr, all other formats go to stdout. */
const FORMATS = ['text', 'json', 'github', 'sarif'] as const;

/** The options of commands that report diagnostics. */
export interface FormatOptions {
  format: (typeof FORMATS)[number];
}

/** Returns the options for the format of diagnostics, for the help. @param more - other formats of the command */
export function formatOptions(...more: readonly string[]): Option[] {
  return [
    new Option('--format <name>', 'how to report: text, or as data on stdout')
      .choices([...FORMATS, ...more])
      .default('text'),
    new DependentOption('--json', 'the same as --format json')
      .implies({ format: 'json' })
      .excludes('--format'),
  ];
}

/** The option for the age of what is no longer accepted, for the help. Its value is in days. */
export const maxAgeOption = (of = 'a list without a checkpoint'): DependentOption =>
  new DependentOption('--max-age <days>', `maximum age of ${of}`)
    .argParser((days: string) => positiveNumber('--max-age', days))
    .default(MAX_AGE_MS / DAY_MS);

/** The verifier takes ages in seconds. */
export const DAY_SECONDS = DAY_MS / 1000;
