import { Option } from 'commander';
import { UsageError } from '../../generator/errors.js';
import type { PublicationExceptions } from '../../generator/publishing/publication.js';
import type { TransitionOverride } from '../../generator/review/forbidden-changes.js';
import { OVERRIDABLE } from '../../generator/review/forbidden-changes.js';
import type { WithSettings } from './settings.js';

/** The options for exceptions from the rules, of commands that make, sign or publish a list. */
export interface ExceptionOptions extends WithSettings {
  allowExampleNames?: true;
}

/** The options of commands that publish. */
export interface RuleOptions extends ExceptionOptions {
  breakPinnedVerifiers?: true;
}

/** The options of commands that check records without a key. */
export interface ProductionOptions {
  production?: true;
  allowExampleNames?: true;
}

/** The option for exceptions from the rules of change, for the help. */
export const OVERRIDE_OPTION = new Option(
  '--override <id:rule>',
  `do not apply a rule to an issuer: ${OVERRIDABLE.join(', ')}`,
)
  .argParser(override)
  .default([], 'none');

const EXAMPLE_NAMES = new Option(
  '--allow-example-names',
  'accept records under reserved names such as issuer.example, for demonstrations',
);

/** The option for a change of the root key that verifiers refuse, for the help. */
export const BREAK_OPTION = new Option(
  '--break-pinned-verifiers',
  'change the root key without a rotation: verifiers that pinned the old key refuse the registry',
);

const PRODUCTION = new Option(
  '--production',
  'also apply the rule for production keys: no names reserved for examples',
);

/** The options for exceptions from the rules for lists, for the help. */
export const EXCEPTION_OPTIONS = [OVERRIDE_OPTION, EXAMPLE_NAMES];

/** The options of commands that publish, for the help. */
export const RULE_OPTIONS = [...EXCEPTION_OPTIONS, BREAK_OPTION];

/** The options of commands that check records without a key, for the help: what a build with a production key checks. */
export const PRODUCTION_OPTIONS = [PRODUCTION, EXAMPLE_NAMES];

function override(text: string, earlier: TransitionOverride[]): TransitionOverride[] {
  const [issuer_id = '', rule = ''] = text.split(':');
  if (!(OVERRIDABLE as readonly string[]).includes(rule)) {
    throw new UsageError(`--override takes ISSUER:RULE, where RULE is one of ${OVERRIDABLE.join(', ')}`);
  }
  return [...earlier, { issuer_id, rule, reason: 'on the command line' }];
}

/** Returns the exceptions that the operator allows. */
export function exceptions({
  settings: { transitions = {} },
  allowExampleNames,
  breakPinnedVerifiers,
}: RuleOptions): PublicationExceptions {
  return { overrides: transitions.overrides, allowExampleNames, breakPinnedVerifiers };
}
