import { type CommandPlace, commandLine } from '../../command-line.js';
import type { StatusOptions } from '../status.js';

/** One step for the operator. */
export interface NextStep {
  /** The command to run; undefined if the step has none. */
  readonly command: string | undefined;
  /** Why, or what to do if there is no command. */
  readonly reason: string;
}

/** The settings that the commands need, and that a configuration file may provide. */
export interface CommandSettings extends CommandPlace, Pick<StatusOptions, 'issuers' | 'out' | 'baseUrl'> {
  /** Whether the settings or the command line name what signs with the root key, if it is needed. */
  readonly hasRootSigner: boolean;
  /** Options of `build` and `keys delegate` for the root key, such as `--key FILE`. Empty if the file has them. */
  readonly rootOptions: readonly string[];
  /** Options of `build` for a production key. */
  readonly productionOptions: readonly string[];
  /** Options of `build` and `keys rotate` for the folders and for reserved names. */
  readonly buildOptions: readonly string[];
  /** Whether the settings name the online key. */
  readonly hasOnlineKey: boolean;
  /** Options of `build`, `keys rotate` and `diff` for the exceptions from the rules of change. */
  readonly overrideOptions: readonly string[];
  /** Whether a witness is a mirror, which sees only what is published. */
  readonly asksMirror: boolean;
  /** The file of the public root key, for `verify`, unless the file has it. */
  readonly rootKeyOptions: readonly string[];
  /** The file of the public root key, which `root_key` or the command line names. */
  readonly rootKeyFile: string | undefined;
  /** The file of the online key's public JWK. */
  readonly onlinePublicKey: string | undefined;
}

/** A step with a command of this program. */
export function run(reason: string, place: CommandPlace, ...words: readonly string[]): NextStep {
  return { command: commandLine(place, ...words), reason };
}

/** A step without a command of this program. */
export function told(reason: string): NextStep {
  return { command: undefined, reason };
}

/** Gets the newest records, also where both sides have committed. */
export const PULL = 'git pull --no-rebase --no-edit';

/** Joins the sentences of a reason, of which some may not apply. */
export function inSentences(...sentences: readonly (string | undefined)[]): string {
  return sentences.filter((one) => one !== undefined).join('. ');
}
