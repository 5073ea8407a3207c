import type { Command } from 'commander';
import { assertNoKeyText } from '../../generator/signing/key-file.js';
import type { Configuration, SignerConfiguration } from './configuration.js';
import { positiveNumber, wholeNumber } from './numbers.js';

/** The settings of a registry: those of registry.yaml, with what this run gives otherwise, each in its place. */
export type Settings = Configuration;

/** The options of commands that use settings. */
export interface WithSettings {
  readonly settings: Settings;
}

/** How long a checkpoint is valid, in hours, unless `checkpoint.hours` says otherwise. */
export const CHECKPOINT_HOURS = 24;

/** How long to wait for witnesses, in seconds, unless `log.wait` says otherwise. */
export const COSIGN_WAIT = 60;

/** Returns the settings for a run of a command. @throws {@link UsageError} if an option is not what its place takes */
export function settingsFor(command: Command, configuration: Configuration): Settings {
  const given = (name: string): string | undefined =>
    command.getOptionValueSource(name) === 'cli' ? command.getOptionValue(name) : undefined;
  const { checkpoint, log } = configuration;
  const [hours, wait] = [given('hours'), given('cosignWait')];
  const settings: Settings = {
    ...configuration,
    checkpoint: {
      ...checkpoint,
      ...chosenSigner(checkpoint, {
        key: given('onlineKey'),
        passphrase_file: given('onlinePassphraseFile'),
      }),
      ...(hours !== undefined && { hours: positiveNumber('--hours', hours) }),
    },
    log: {
      ...log,
      ...(wait !== undefined && { wait: wholeNumber('--cosign-wait', wait) }),
    },
  };
  for (const section of [settings.checkpoint, settings.log]) assertFilesNamed(section ?? {});
  return settings;
}

/** A signer with its public key, as sections of the settings have it. */
interface SignerSection {
  readonly signer?: SignerConfiguration | undefined;
  readonly public_key?: string | undefined;
}

/** The signer that options name. A command is only a setting. */
type GivenSigner = Pick<SignerConfiguration, 'key' | 'passphrase_file'>;

/**
 * Returns the online key that `--online-key` names, for a section. It replaces that of the file as a whole: a key on the command
 * line must not be combined with a command from the file. A passphrase alone chooses no key, and belongs to that of the file.
 */
function chosenSigner(
  section: SignerSection | undefined,
  { key, passphrase_file }: GivenSigner,
): SignerSection {
  if (key !== undefined) return { signer: { key, passphrase_file }, public_key: undefined };
  return passphrase_file === undefined ? {} : { signer: { ...section?.signer, passphrase_file } };
}

function assertFilesNamed({ signer, public_key }: SignerSection): void {
  for (const file of [signer?.key, signer?.passphrase_file, public_key]) {
    if (file !== undefined) assertNoKeyText(file);
  }
}

/** Whether a section has a signer: a key or a command. */
export function hasSigner({ signer }: SignerSection = {}): boolean {
  return signer?.key !== undefined || signer?.command !== undefined;
}
