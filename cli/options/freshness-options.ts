import { Option } from 'commander';
import { IoFailed, KeyRejected } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import type { CheckpointChoice } from '../../generator/freshness/checkpoint.js';
import type { FreshnessChoice } from '../../generator/freshness/freshness.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import type { Signer } from '../../generator/signing/sign.js';
import { type Io, say } from '../terminal/io.js';
import { DependentOption } from './common-options.js';
import {
  CHECKPOINT_HOURS,
  DELEGATION_DAYS,
  hasSigner,
  type Settings,
  type WithSettings,
} from './settings.js';
import { signerChoice } from './signer-options.js';

/** The options for delegation and rotation, of commands that publish a list. The online key is in registry.yaml. */
export interface FreshnessOptions extends WithSettings {
  delegation?: string;
  rotation?: string;
  checkpointLater?: true;
}

/** The same, for the help. */
export const FRESHNESS_OPTIONS = [
  new Option('--delegation <file>', 'delegation to online keys, from `keys delegate`'),
  new DependentOption('--rotation <file>', 'step to this root key, from `keys step`').excludes(
    '--unsigned',
    'give the step to `attach`',
  ),
  new DependentOption(
    '--checkpoint-later',
    'keep the published checkpoint: `checkpoint` signs the next one, where the online key is',
  ).excludes('--unsigned', 'give --checkpoint-later to `attach`'),
];

/**
 * Reads delegation and rotation from the options, and the online key from the settings.
 *
 * @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected}
 */
export async function freshnessChoice(io: Io, options: FreshnessOptions): Promise<FreshnessChoice> {
  const { delegation, rotation, checkpointLater, settings } = options;
  // A checkpoint that was signed before its delegation is not valid.
  const wayOut = delegation === undefined ? CHECKPOINT_LATER : undefined;
  return {
    nextRoots: settings.next_roots,
    delegation: delegation && readText(delegation).trim(),
    rotation: rotation && readText(rotation).trim(),
    checkpoint: checkpointLater ? undefined : await checkpointChoice(io, settings, wayOut),
  };
}

/** Whoever stops an issuer at night may not have the online key at hand. The published checkpoint stays valid. */
const CHECKPOINT_LATER =
  'To publish without it now, and to keep the published checkpoint, pass --checkpoint-later';

/** The option for the validity of a new delegation, for the help. */
export const DAYS_OPTION = new DependentOption(
  '--days <number>',
  `how long the new delegation is valid (default: delegation.days in registry.yaml, or ${DELEGATION_DAYS})`,
).needs('--delegate');

/** How long a new delegation is valid, in days. */
export function delegationDays({ delegation: { days = DELEGATION_DAYS } = {} }: Settings): number {
  return days;
}

/** Says what is left to do after a publication with `--checkpoint-later`. */
export function sayCheckpointLater(
  io: Io,
  { checkpointLater, out }: FreshnessOptions & { readonly out: string },
): void {
  if (checkpointLater)
    say(
      io,
      `note: the checkpoint in ${out} is the published one: before it expires, run \`checkpoint ${out}\` where the online key is, and publish ${out} again`,
    );
}

/** Returns the signer and the lifetime of a checkpoint; undefined if the settings name no online key. */
export async function checkpointChoice(
  io: Io,
  settings: Settings,
  wayOut?: string,
): Promise<CheckpointChoice | undefined> {
  if (!hasSigner(settings.checkpoint)) return undefined;
  const signer = await sectionSigner(io, settings, { section: 'checkpoint', wayOut });
  return { signer, hours: checkpointHours(settings) };
}

/** How long a checkpoint is valid, in hours. */
export function checkpointHours({ checkpoint: { hours = CHECKPOINT_HOURS } = {} }: Settings): number {
  return hours;
}

/**
 * Returns the signer of a section of the settings, which is never a development key. If it fails, then or when it signs, the error
 * says which key that was.
 *
 * @throws {@link KeyRejected} | {@link UsageError}
 */
export async function sectionSigner(
  io: Io,
  settings: Settings,
  {
    section,
    wayOut,
    passphraseOption = `passphrase_file of ${section}.signer in registry.yaml`,
  }: SignerPlace,
): Promise<Signer> {
  const { signer = {}, public_key: rootKey } = settings[section] ?? {};
  // A key has its public half.
  const needed = signer.command === undefined ? undefined : rootKey;
  const choice = signerChoice(io, signer, { rootKey: needed, production: true, passphraseOption });
  const name = section === 'checkpoint' ? 'the online key' : 'the key of the log';
  const refuse = (cause: unknown): never => {
    if (!(cause instanceof KeyRejected || cause instanceof IoFailed)) throw cause;
    const message = `${name} (${section}.signer) cannot be used: ${cause.message}`;
    throw new KeyRejected(wayOut === undefined ? message : `${message}. ${wayOut}`, {
      cause,
      isOtherKey: true,
    });
  };
  const chosen = await chooseSigner(choice).catch(refuse);
  const expected = rootKey === undefined ? undefined : await loadRootKey(rootKey, io.env).catch(refuse);
  if (expected !== undefined && expected.thumbprint !== chosen.rootKey.thumbprint) {
    throw new KeyRejected(
      `${section}.public_key in registry.yaml names another key than ${section}.signer, ${chosen.rootKey.thumbprint}: ${rootKey} is ` +
        `${expected.thumbprint}. Let both name the same key`,
      { isOtherKey: true },
    );
  }
  return { ...chosen, sign: (bytes) => chosen.sign(bytes).catch(refuse) };
}

interface SignerPlace {
  readonly section: 'checkpoint' | 'log';
  /** What to do if the key cannot be used, for the end of the message. */
  readonly wayOut?: string | undefined;
  /** What names the file of the passphrase, for messages. */
  readonly passphraseOption?: string;
}
