import { existsSync } from 'node:fs';
import { Option } from 'commander';
import { memoryFolder } from '../../custody/offline-signing/signing-memory.js';
import type { OpenedShare, ShareAccess } from '../../custody/shared-key/share-file.js';
import { SharedKeyRejected } from '../../custody/shared-key/shared-key-rejected.js';
import { UsageError } from '../../generator/errors.js';
import { readText } from '../../generator/files/read-file.js';
import type { SignerChoice } from '../../generator/signing/choose-signer.js';
import type { Passphrase } from '../../generator/signing/key-file.js';
import { shortPath } from '../command-line.js';
import { askPassphrase } from '../terminal/ask.js';
import type { Io } from '../terminal/io.js';
import { numberOption } from './common-options.js';
import type { SignerSettings, WithSettings } from './settings.js';

/** How long a command may take that signs, in seconds. */
const SIGNER_TIMEOUT = 60;

/** The prefixes of the names of options for a signer, with what its key is, and of which type. */
const KEYS = {
  '': 'private root key, Ed25519 or P-256',
  'online-': 'online key, Ed25519 or P-256',
  'witness-': 'key of the witness, Ed25519',
  'next-': 'next root key, in a new file or in an existing one, Ed25519 or P-256',
} as const;

/** Returns the options for a key that signs. A command that signs in its place is a setting of registry.yaml. */
export function keyOptions(prefix: keyof typeof KEYS): Option[] {
  return [
    new Option(`--${prefix}key <file|env:NAME>`, `${KEYS[prefix]}: PKCS#8 PEM (may be encrypted) or JWK`),
    new Option(
      `--${prefix}passphrase-file <file>`,
      'file with the passphrase of an encrypted key (default: ask on the terminal)',
    ),
  ];
}

/** The options for signing with the root key, for the help. */
export const ROOT_SIGNER_OPTIONS = [
  ...keyOptions(''),
  new Option('--root-key <file>', 'public JWK that the key must match; needed with a signing command'),
  new Option('--production', 'never use a development key (the default if CI is set)'),
];

/**
 * Returns the options for a signer that registry.yaml does not name: a key or a command.
 *
 * @param prefix - the prefix of the option names
 */
export function signerOptions(prefix: Exclude<keyof typeof KEYS, ''>): Option[] {
  return [
    ...keyOptions(prefix),
    new Option(
      `--${prefix}signer-command <command>`,
      'command that signs: payload on stdin or in {}, signature on stdout',
    ),
    new Option(`--${prefix}signer-input <what>`, 'what the command signs')
      .choices(['payload', 'digest'])
      .default('payload'),
    numberOption(`--${prefix}signer-timeout <seconds>`, 'how long the command may take').default(
      SIGNER_TIMEOUT,
    ),
  ];
}

/** Returns the signer that the options with a prefix name. */
export function signerFrom(options: object, prefix: 'next' | 'witness'): SignerSettings {
  const value = (name: string) => Reflect.get(options, `${prefix}${name}`);
  return {
    key: value('Key'),
    passphrase_file: value('PassphraseFile'),
    command: value('SignerCommand'),
    input: value('SignerInput'),
    timeout: value('SignerTimeout'),
  };
}

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
  { key, instead, passphrase_file, command, input, timeout = SIGNER_TIMEOUT }: SignerSettings = {},
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
    signer: command === undefined ? undefined : { command, timeout, terminal, ...(input && { input }) },
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
  new Option(
    '--share <file>',
    "file with the holder's share of the key, encrypted under a passphrase",
  ).makeOptionMandatory(),
  new Option('--passphrase-file <file>', 'file with the passphrase (default: ask on the terminal)'),
  new Option('--memory <dir>', 'folder that records what was signed (default: one for this user)'),
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
