import { type CommandPlace, commandLine } from '../../command-line.js';
import type { RegistryStatus, StatusOptions } from '../status.js';

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
  /** Options of commands that sign with the root key, such as `--key FILE`. Empty if the file has them. */
  readonly rootOptions: readonly string[];
  /** Options of commands that build, for a production key. */
  readonly productionOptions: readonly string[];
  /** `--issuers`, if the command line names the folder of the records. */
  readonly issuersOptions: readonly string[];
  /** `--out`, if the command line names the folder of the tree. */
  readonly outOptions: readonly string[];
  /** Options of commands that build, for both folders and for reserved names. */
  readonly buildOptions: readonly string[];
  /** Whether the settings name the online key. */
  readonly hasOnlineKey: boolean;
  /** Options of commands that build, and of `diff`, for the exceptions from the rules of change. */
  readonly overrideOptions: readonly string[];
  /** The file of the public root key, for `verify`, unless the file has it. */
  readonly rootKeyOptions: readonly string[];
  /** The file of the public root key, which `root_key` or the command line names. */
  readonly rootKeyFile: string | undefined;
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

/**
 * The step that builds.
 *
 * @param more - options besides those of the settings
 */
export function buildStep(
  { reason, more = [] }: { readonly reason: string; readonly more?: readonly string[] },
  status: RegistryStatus,
  settings: CommandSettings,
): NextStep {
  const words = ['build', ...publishingOptions(settings), ...more];
  return run(keysFirst(reason, status, settings), settings, ...words);
}

/** Options of every command that builds with the root key. */
export function publishingOptions({
  rootOptions,
  productionOptions,
  buildOptions,
  overrideOptions,
}: CommandSettings): readonly string[] {
  return [...rootOptions, ...productionOptions, ...buildOptions, ...overrideOptions];
}

/** Whether an online key signs the checkpoints of the tree. */
function needsOnlineKey({ tree, online }: RegistryStatus): boolean {
  return tree.published && online.onlineKeys.length > 0;
}

/** Adds to the reason of a publication which keys it needs first. */
export function keysFirst(reason: string, status: RegistryStatus, settings: CommandSettings): string {
  const signed = rootKeyFirst(reason, settings);
  return needsOnlineKey(status) ? onlineKeyFirst(signed, settings) : signed;
}

/** Adds to the reason of a step with the root key that a setting has to name it first. */
export function rootKeyFirst(reason: string, { hasRootSigner }: CommandSettings): string {
  return hasRootSigner
    ? reason
    : `${reason}. First name the root key in registry.yaml, signer.key, or add --key`;
}

/** The same for the online key. */
export function onlineKeyFirst(reason: string, { hasOnlineKey }: CommandSettings): string {
  return hasOnlineKey ? reason : `${reason}. First name the online key in registry.yaml: checkpoint.signer`;
}

/** The step that signs a checkpoint, if the tree needs one. Otherwise it needs no key. */
export function checkpointStep(reason: string, status: RegistryStatus, settings: CommandSettings): NextStep {
  const why = needsOnlineKey(status) ? onlineKeyFirst(reason, settings) : reason;
  return run(why, settings, 'checkpoint', settings.out);
}

/** The step that a checkpoint needs which is older than that of the host: verifiers that have seen the newer one refuse it. */
export function laterCheckpointSteps(status: RegistryStatus, settings: CommandSettings): NextStep[] {
  if (status.live.parts?.checkpoint !== 'newer') return [];
  return [checkpointStep('sign a later checkpoint than that of the host', status, settings)];
}
