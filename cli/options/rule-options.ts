import { type Command, Option } from 'commander';
import { UsageError } from '../../generator/errors.js';
import type { PublicationExceptions } from '../../generator/publishing/publication.js';
import type { TransitionOverride } from '../../generator/review/forbidden-changes.js';
import { OVERRIDABLE } from '../../generator/review/forbidden-changes.js';

/** The options for exceptions from the rules, of commands that make, sign or publish a list. */
export interface ExceptionOptions {
  override: TransitionOverride[];
  allowExampleNames?: true;
}

/** The options of commands that publish. */
export interface RuleOptions extends ExceptionOptions {
  breakPinnedVerifiers?: true;
  /** The issuer that a command is about: an argument, not an option. */
  about?: string;
  /** The same, if the command stops that issuer. */
  stopped?: string | undefined;
}

/** The options of commands that publish a list which is signed already. */
export type ChangeRuleOptions = Pick<RuleOptions, 'override' | 'breakPinnedVerifiers'>;

/** The options of commands that check records without a key. */
export interface ProductionOptions {
  production?: true;
  allowExampleNames?: true;
}

/** Adds the options of commands that publish. */
export function addRuleOptions(command: Command): Command {
  return addBreakOption(addExceptionOptions(command));
}

/** Adds the options of commands that publish a list which is signed already. */
export function addChangeRuleOptions(command: Command): Command {
  return addBreakOption(addOverrideOption(command));
}

function addBreakOption(command: Command): Command {
  return command.option(
    '--break-pinned-verifiers',
    'change the root key without a rotation: verifiers that pinned the old key refuse the registry',
  );
}

/** Adds the options for exceptions from the rules for lists. */
export function addExceptionOptions(command: Command): Command {
  return addExampleNamesOption(addOverrideOption(command));
}

/** Adds the options of commands that check records without a key: what a build with a production key checks. */
export function addProductionOptions(command: Command): Command {
  return addExampleNamesOption(
    command.option('--production', 'also apply the rule for production keys: no names reserved for examples'),
  );
}

function addExampleNamesOption(command: Command): Command {
  return command.option(
    '--allow-example-names',
    'accept records under reserved names such as issuer.example, for demonstrations',
  );
}

/** Adds the option for exceptions from the rules of change. */
export function addOverrideOption(command: Command): Command {
  return command.addOption(
    new Option('--override <id:rule>', `do not apply a rule to an issuer: ${OVERRIDABLE.join(', ')}`)
      .argParser(override)
      .default([], 'none'),
  );
}

function override(text: string, earlier: TransitionOverride[]): TransitionOverride[] {
  const [issuer_id = '', rule = ''] = text.split(':');
  if (!(OVERRIDABLE as readonly string[]).includes(rule)) {
    throw new UsageError(`--override takes ISSUER:RULE, where RULE is one of ${OVERRIDABLE.join(', ')}`);
  }
  return [...earlier, { issuer_id, rule, reason: 'on the command line' }];
}

/** Returns the exceptions that the operator allows. */
export function exceptions({
  override: overrides,
  allowExampleNames,
  breakPinnedVerifiers,
  about,
}: RuleOptions): PublicationExceptions {
  return { overrides, allowExampleNames, breakPinnedVerifiers, about };
}
