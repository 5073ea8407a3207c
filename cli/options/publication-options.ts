import { Option } from 'commander';
import { UsageError } from '../../generator/errors.js';
import { OVERRIDABLE, type TransitionOverride } from '../../generator/review/forbidden-changes.js';
import {
  ISSUERS_OPTION,
  JSON_OPTION,
  OFFLINE_OPTION,
  OUT_OPTION,
  PRODUCTION_OPTION,
  UNSIGNED_OPTION,
} from './common-options.js';
import type { WithSettings } from './settings.js';
import { ROOT_SIGNER_OPTIONS } from './signer-options.js';
import { wholeNumber } from './values.js';

/** The options of commands that check, sign or publish a list. A command has some of them. */
export interface PublicationOptions extends WithSettings {
  production?: true;
  allowExampleNames?: true;
  override?: readonly TransitionOverride[];
  cosignWait?: number;
  checkpointByRoot?: true;
  offline?: true;
  first?: true;
}

/** The option for exceptions from the rules of change, for the help. */
export const OVERRIDE_OPTION = new Option(
  '--override <id:rule>',
  'do not apply a rule for changes to an issuer',
).argParser(override);

const EXAMPLE_NAMES = new Option('--allow-example-names', 'accept reserved names such as issuer.example');

/** The options for exceptions from the rules for lists, for the help. */
export const EXCEPTION_OPTIONS = [OVERRIDE_OPTION, EXAMPLE_NAMES];

/** The options of commands that check records without a key, for the help: what a build with a production key checks. */
export const PRODUCTION_OPTIONS = [PRODUCTION_OPTION, EXAMPLE_NAMES];

function override(text: string, earlier: TransitionOverride[] = []): TransitionOverride[] {
  const [issuer_id = '', rule = ''] = text.split(':');
  if (!(OVERRIDABLE as readonly string[]).includes(rule)) {
    throw new UsageError(`--override takes ISSUER:RULE, where RULE is one of ${OVERRIDABLE.join(', ')}`);
  }
  return [...earlier, { issuer_id, rule }];
}

const FIRST_OPTION = new Option('--first', 'sign a first list whatever base_url shows');

/** The option for the checkpoint, for the help. The online key is in registry.yaml. */
export const CHECKPOINT_OPTION = new Option('--checkpoint-by-root', 'let the root key sign the checkpoint');

/** How long to wait for witnesses, unless an option says otherwise. */
export const COSIGN_WAIT_SECONDS = 60;

/** The option for the cosignatures of witnesses, for the help. The witnesses are in registry.yaml. */
export const COSIGN_OPTION = new Option('--cosign-wait <seconds>', 'how long to wait for witnesses')
  .default(COSIGN_WAIT_SECONDS)
  .argParser((seconds: string) => wholeNumber('--cosign-wait', seconds));

/** The option of commands that sign a rotation step, for the help. */
export const COMMIT_OPTION = new Option(
  '--commit <file|thumbprint...>',
  '1 to 3 keys of which one must follow the next',
);

/** The options of commands that publish a list, for the help. */
export const PUBLICATION_OPTIONS = [
  CHECKPOINT_OPTION,
  ...EXCEPTION_OPTIONS,
  COSIGN_OPTION,
  OFFLINE_OPTION,
  FIRST_OPTION,
];

/** The options of commands that build. */
export interface BuildCommandOptions extends PublicationOptions {
  issuers: string;
  out: string;
  unsigned?: string;
  updatedAt?: string;
  json?: true;
}

/** The option for the time of a list, for the help. A status changes now. */
export const UPDATED_AT_OPTION = new Option('--updated-at <time>', 'updated_at of a changed list, RFC 3339');

/** The options of commands that build, for the help. */
export const BUILD_OPTIONS = [
  UNSIGNED_OPTION,
  ISSUERS_OPTION,
  OUT_OPTION,
  ...ROOT_SIGNER_OPTIONS,
  ...PUBLICATION_OPTIONS,
  JSON_OPTION,
];
