import type { RootKey } from '@passport-registry/verifier';
import { GRAMMAR, isAnchorMember, parseNoteKey } from '@passport-registry/verifier/core';
import { GeneratorError, IoFailed, ignoring, KeyRejected, UsageError } from '../../generator/errors.js';
import type { CheckpointChoice } from '../../generator/freshness/checkpoint.js';
import type { OnlineChoice } from '../../generator/freshness/online-keys.js';
import type { CosignChoice, LogChoice, Witness } from '../../generator/log/log-choice.js';
import type { UrlQuestion } from '../../generator/publishing/follow-url.js';
import type { FreshnessChoice, PublishOptions, TreeOptions } from '../../generator/publishing/publication.js';
import type { RuleExceptions } from '../../generator/review/assert-publishable.js';
import { chooseSigner } from '../../generator/signing/choose-signer.js';
import { loadRootKey, publicHalf } from '../../generator/signing/key-file.js';
import { publicSigner, type Signer } from '../../generator/signing/sign.js';
import type { RegistryDescription } from '../../generator/tree/registry-description.js';
import type { Io } from '../terminal/io.js';
import { COSIGN_WAIT_SECONDS, type PublicationOptions } from './publication-options.js';
import { hasSigner, ONLINE_DAYS, type Settings } from './settings.js';
import { signerChoice } from './signer-options.js';

/**
 * Returns what a new list depends on before it is signed. A request only names the key of the log, so its public key is enough: the
 * private key stays where `attach` runs.
 */
export async function listChoice(io: Io, options: PublicationOptions) {
  const { public_key: file } = options.settings.log;
  const named = file === undefined ? undefined : publicSigner(await loadRootKey(file, io.env), NOT_LOGGED);
  return requestChoice(options, await logChoice(io, options, named));
}

/** The key of the log has no part in a signing request. */
const NOT_LOGGED = 'a signing request is not signed by the key of the log';

function requestChoice(options: PublicationOptions, log: LogChoice | undefined) {
  return { exceptions: exceptions(options), log, url: urlQuestion(options) };
}

/** Returns what the publication of a list depends on. @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected} */
export async function publishChoice(io: Io, options: PublicationOptions): Promise<PublishOptions> {
  const freshness = await freshnessChoice(io, options);
  const log = await logChoice(io, options);
  return { ...requestChoice(options, log), freshness, ...treeOptions(options.settings) };
}

/** Returns how a command that signs asks the registry's URL. */
export function urlQuestion({ settings, offline, first }: PublicationOptions): UrlQuestion {
  return { baseUrl: settings.base_url, offline, first };
}

/** Returns the exceptions that the operator allows. */
export function exceptions(options: PublicationOptions): RuleExceptions {
  const { override: overrides, allowExampleNames } = options;
  return { overrides, allowExampleNames };
}

/**
 * Reads the online key from the settings. Without an online key, the root key signs the checkpoint.
 *
 * @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected}
 */
export async function freshnessChoice(io: Io, options: PublicationOptions): Promise<FreshnessChoice> {
  const { checkpointByRoot: byRoot, settings } = options;
  const { hours } = settings.checkpoint;
  const chosen = byRoot ? undefined : await checkpointChoice(io, settings, { wayOut: CHECKPOINT_BY_ROOT });
  return {
    nextRoots: settings.next_roots,
    online: await onlineChoice(io, settings, chosen?.signer),
    checkpoint: { hours, ...chosen, byRoot },
  };
}

/** Whoever stops an issuer at night may not have the online key at hand. */
const CHECKPOINT_BY_ROOT = 'pass --checkpoint-by-root to publish without it';

/**
 * Returns which online key the publication names, and what it may do; undefined if the settings name none.
 *
 * @param opened - what signs checkpoints, if it is open already
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function onlineChoice(
  { env }: Io,
  { checkpoint }: Settings,
  opened?: Signer,
): Promise<OnlineChoice | undefined> {
  if (checkpoint.public_key === undefined && !hasSigner(checkpoint)) return undefined;
  const { days_online: days = ONLINE_DAYS, may_hold: mayHold = true } = checkpoint;
  return { keys: [await onlinePublicKey(checkpoint, opened, env)], days, mayHold };
}

async function onlinePublicKey(
  { public_key: file, signer: { key } = {} }: Settings['checkpoint'],
  opened: Signer | undefined,
  env: NodeJS.ProcessEnv,
): Promise<RootKey> {
  if (file !== undefined) return loadRootKey(file, env);
  if (opened !== undefined) return opened.rootKey;
  const found = key === undefined ? undefined : await publicHalf(key, env).catch(ignoring(GeneratorError));
  if (found !== undefined) return found;
  throw new KeyRejected(
    'the publication names the online key, which is not here: set checkpoint.public_key in registry.yaml',
  );
}

/** Returns the online key and the lifetime of a checkpoint; undefined if the settings name no online key. */
export async function checkpointChoice(
  io: Io,
  settings: Settings,
  words: KeyWords = {},
): Promise<CheckpointChoice | undefined> {
  if (!hasSigner(settings.checkpoint)) return undefined;
  const signer = await sectionSigner(io, settings, { section: 'checkpoint', ...words });
  return { signer, hours: settings.checkpoint.hours };
}

/**
 * Returns the signer of a section of the settings, which is never a development key. If it fails, then or when it signs, the error
 * says which key that was.
 *
 * @throws {@link KeyRejected} | {@link UsageError}
 */
async function sectionSigner(
  io: Io,
  settings: Settings,
  {
    section,
    wayOut,
    passphraseOption = `passphrase_file of ${section}.signer in registry.yaml`,
  }: KeyWords & { readonly section: 'checkpoint' | 'log' },
): Promise<Signer> {
  const { signer = {}, public_key: file } = settings[section];
  const refuse = (cause: unknown): never => {
    if (!(cause instanceof KeyRejected || cause instanceof IoFailed)) throw cause;
    const name = section === 'checkpoint' ? 'the online key' : 'the key of the log';
    const remedy = wayOut === undefined ? '' : `; ${wayOut}`;
    const message = `${name} (${section}.signer) cannot be used: ${cause.message}${remedy}`;
    throw new KeyRejected(message, { cause, isOtherKey: true });
  };
  // Only a command needs the public key: a key has its public half.
  const rootKey = signer.command === undefined ? undefined : file;
  const choice = signerChoice(io, signer, { rootKey, production: true, passphraseOption });
  const chosen = await chooseSigner(choice).catch(refuse);
  const expected = file === undefined ? undefined : await loadRootKey(file, io.env).catch(refuse);
  if (expected !== undefined && expected.thumbprint !== chosen.rootKey.thumbprint) {
    throw new KeyRejected(
      `${section}.public_key is ${expected.thumbprint}, but ${section}.signer has the key ${chosen.rootKey.thumbprint}: name the same key`,
      { isOtherKey: true },
    );
  }
  return { ...chosen, sign: (bytes) => chosen.sign(bytes).catch(refuse) };
}

/** What messages about a key say. */
interface KeyWords {
  /** What to do if the key cannot be used, for the end of the message. */
  readonly wayOut?: string | undefined;
  /** What names the file of the passphrase, for messages. */
  readonly passphraseOption?: string;
}

const MIB = 1024 * 1024;

/**
 * Returns the log of a publication. Undefined if no setting is about a log.
 *
 * @param named - the key of the log, if it signs nothing. Default: that of `log.signer`
 */
export async function logChoice(
  io: Io,
  options: PublicationOptions,
  named?: Signer,
): Promise<LogChoice | undefined> {
  const { settings, cosignWait } = options;
  const { log } = settings;
  const { origin, witnesses, keep_lists: kept } = log;
  if (origin === undefined && !hasSigner(log) && witnesses === undefined) return undefined;
  return {
    ...cosignChoice(settings, cosignWait),
    origin,
    signer: named ?? (hasSigner(log) ? await sectionSigner(io, settings, { section: 'log' }) : undefined),
    // `sectionSigner` has compared it with the signer.
    mayReplaceKey: log.public_key !== undefined,
    keepBytes: kept === undefined ? undefined : kept * MIB,
  };
}

/** Returns which witnesses to ask, and for how long. @throws {@link UsageError} */
export function cosignChoice({ log }: Settings, wait = COSIGN_WAIT_SECONDS): CosignChoice {
  const { witnesses = [], quorum = 0 } = log;
  const found = witnesses.map(witnessOf);
  const publicKeys = new Set(found.map(({ key }) => key.jwk.x));
  if (publicKeys.size < found.length)
    throw new UsageError('log.witnesses names the public key of a witness twice');
  if (quorum > found.length) {
    throw new UsageError(`log.quorum is ${quorum}, but log.witnesses has only ${found.length} witnesses`);
  }
  return { witnesses: found, quorum, waitMs: wait * 1000 };
}

type WitnessSettings = NonNullable<Settings['log']['witnesses']>[number];

function witnessOf({ key, service }: WitnessSettings, index: number): Witness {
  const invalid = (message: string) => new UsageError(`log.witnesses[${index}].key ${message}`);
  return { key: parseNoteKey(key, 'witness', invalid), service };
}

/**
 * Returns the thumbprints that `--commit` names. Undefined if the option is not given.
 *
 * @param given - thumbprints, and files of public keys
 * @throws {@link UsageError} | {@link KeyRejected} | {@link IoFailed}
 */
export async function committedKeys(
  { env }: Io,
  given: readonly string[] | undefined,
): Promise<readonly string[] | undefined> {
  if (given === undefined) return undefined;
  const thumbprints = await Promise.all(
    given.map(async (one) =>
      GRAMMAR.bytes32.pattern.test(one) ? one : (await loadRootKey(one, env)).thumbprint,
    ),
  );
  if (isAnchorMember('next_roots', thumbprints)) return thumbprints;
  throw new UsageError(`--commit names ${thumbprints.join(', ')}: name 1 to 3 different keys`);
}

/** Returns what a tree contains besides the list. Each command that publishes a tree passes it on as a whole. */
export function treeOptions(settings: Settings): TreeOptions {
  return { about: descriptionOf(settings), logo: settings.logo };
}

/** Returns what the pages and documents of a registry say about it. */
export function descriptionOf({ name, description, contact, homepage }: Settings): RegistryDescription {
  return { name, description, contact, homepage };
}
