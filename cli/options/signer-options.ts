import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { memoryFolder } from '../../custody/offline-signing/signing-memory.js';
import type { OpenedShare, ShareAccess } from '../../custody/shared-key/share-file.js';
import { SharedKeyRejected } from '../../custody/shared-key/shared-key-rejected.js';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import type { SignerChoice } from '../../generator/signing/choose-signer.js';
import type { Passphrase } from '../../generator/signing/key-file.js';
import { askPassphrase } from '../terminal/ask.js';
import type { Io } from '../terminal/io.js';
import { shortPath } from '../terminal/paths.js';
import { PRODUCTION_OPTION, ROOT_KEY_OPTION } from './common-options.js';
import type { SignerSettings, WithSettings } from './settings.js';

/** The prefixes of the names of options for a signer, with what its key is, and of which type. */
const KEYS = {
  '': 'private root key',
  'online-': 'private online key',
  'witness-': 'private key of the witness',
  'next-': 'next private root key',
} as const;

/** Returns the options for a key that signs. A command that signs in its place is a setting of registry.yaml. */
export function keyOptions(prefix: keyof typeof KEYS): [key: Option, passphraseFile: Option] {
  return [
    new Option(`--${prefix}key <file|env:NAME>`, `${KEYS[prefix]}: PEM or JWK`),
    new Option(`--${prefix}passphrase-file <file>`, 'file with its passphrase (default: ask)'),
  ];
}

/** The options for signing with the root key, for the help. */
export const ROOT_SIGNER_OPTIONS = [...keyOptions(''), ROOT_KEY_OPTION, PRODUCTION_OPTION];

/** What a command demands of a signer. */
interface SignerDemands {
  /** The file of the public key that the signer must have. */
  readonly rootKey?: string | undefined;
  /** Whether a development key is refused, as it is wherever CI is set. */
  readonly production?: boolean | undefined;
  /** The option that names the file of the passphrase, for messages. */
  readonly passphraseOption?: string;
}

/** Returns the choice of a signer. @throws {@link UsageError} if an option names no file, and registry.yaml does */
export function signerChoice(
  io: Io,
  { key, instead, passphrase_file, command, input }: SignerSettings = {},
  { rootKey, production = false, passphraseOption }: SignerDemands = {},
): SignerChoice {
  const terminal = io.stdin.isTTY === true;
  const isFile = (path: string) => path.startsWith('env:') || existsSync(path);
  if (key !== undefined && instead !== undefined && !isFile(key) && isFile(instead.key))
    throw new UsageError(
      `${key} does not exist: leave out ${instead.option}, because registry.yaml names ${shortPath(instead.key)}`,
    );
  return {
    key,
    passphrase: passphraseFrom(io, passphrase_file, passphraseOption),
    signer: command === undefined ? undefined : { command, terminal, ...(input && { input }) },
    rootKey,
    production: production || isContinuousIntegration(io.env['CI']),
    directory: process.cwd(),
    env: io.env,
  };
}

/** Returns the choice of the signer with the root key. */
export function rootSignerChoice(
  io: Io,
  { settings, production }: WithSettings & { readonly production?: true },
): SignerChoice {
  return signerChoice(io, settings.signer, { rootKey: settings.root_key, production });
}

/**
 * Reads the passphrase of an encrypted key from a file, or asks for it on the terminal.
 *
 * @param option - the option that names the file
 */
export function passphraseFrom(io: Io, file: string | undefined, option = '--passphrase-file'): Passphrase {
  const asked = new Set<string>();
  if (file === undefined) {
    return (source) => {
      const again = asked.has(source) ? 'That is not the passphrase. ' : '';
      asked.add(source);
      return askPassphrase(io, source, { question: `${again}Passphrase of ${source}`, option });
    };
  }
  return () => readText(file).replace(/\r?\n$/, '');
}

function isContinuousIntegration(ci: string | undefined): boolean {
  return ci !== undefined && !['', '0', 'false'].includes(ci.toLowerCase());
}

/** The options of commands that use the file of a holder. */
export interface ShareOptions {
  share?: string | undefined;
  passphraseFile?: string | undefined;
  memory?: string | undefined;
}

/** The same, for the help. */
export const SHARE_OPTIONS = [
  new Option('--share <file>', "file with the holder's share of the key").makeOptionMandatory(),
  new Option('--passphrase-file <file>', 'file with its passphrase (default: ask)'),
  new Option('--memory <dir>', 'folder that records what was signed'),
];

/** Returns how the file of a holder is opened. */
export function shareAccess(io: Io, file: string, { passphraseFile }: ShareOptions): ShareAccess {
  return { file, passphrase: passphraseFrom(io, passphraseFile), env: io.env };
}

/**
 * Opens the share that is to sign a request.
 *
 * @throws {@link SharedKeyRejected} if the request is for another root key
 */
export async function openShareFor(
  io: Io,
  folder: string,
  options: ShareOptions & { readonly share: string },
): Promise<OpenedShare> {
  // Imported on demand, because the other commands need no FROST.
  const [{ openShare }, { readRequestFiles, requestedKeys }] = await Promise.all([
    import('../../custody/shared-key/share-file.js'),
    import('../../custody/offline-signing/request-files.js'),
  ]);
  const opened = await openShare(shareAccess(io, options.share, options));
  const asked = requestedKeys(readRequestFiles(folder));
  const { thumbprint } = opened.group.rootKey;
  if (asked.length === 0 || asked.includes(thumbprint)) return opened;
  throw new SharedKeyRejected(
    'ERR_OTHER_KEY',
    `${options.share} is a share of ${thumbprint}, but ${folder} is to be signed by ${[...new Set(asked)].join(' and ')}: name your share of that key`,
  );
}

/** Returns the folder that records what was signed. */
export const memoryOf = (io: Io, { memory }: ShareOptions): string => memory ?? memoryFolder(io.env);
