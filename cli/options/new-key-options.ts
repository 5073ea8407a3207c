import { Option } from 'commander';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { KEY_CURVES, type NewPassphrase } from '../../generator/signing/key-file.js';
import { askPassphrase } from '../terminal/ask.js';
import { type Io, say } from '../terminal/io.js';
import { passphraseFrom } from './signer-options.js';

/** The option for the algorithm of a key that the command makes, for the help. */
export const ALG_OPTION = new Option('--alg <name>', 'algorithm of the key: Ed25519 or P-256')
  .choices(KEY_CURVES)
  .default('Ed25519');

/** The options of commands that make a key. */
export interface NewKeyPassphraseOptions {
  passphraseFile?: string | undefined;
  /** False with `--no-passphrase`. */
  passphrase: boolean;
}

/** The options for the passphrase of a key that the command makes, for the help. */
export const NEW_PASSPHRASE_OPTIONS = [
  new Option('--passphrase-file <file>', 'file with its passphrase (default: ask)'),
  new Option('--no-passphrase', 'do not encrypt the key'),
];

const MIN_PASSPHRASE = 12;

/**
 * Returns what provides the passphrase of a new key: from a file, or typed on the terminal. Nothing if the options say that
 * the key has none. The file is read and judged now, so call this before the command asks or does anything else.
 *
 * @throws {@link KeyRejected} if the passphrase in a file is too short; {@link UsageError} if there is no terminal to ask
 */
export async function newKeyPassphrase(
  io: Io,
  file: string,
  options: NewKeyPassphraseOptions,
): Promise<NewPassphrase> {
  if (!options.passphrase) return () => undefined;
  const { passphraseFile } = options;
  if (passphraseFile !== undefined) {
    const given = await newPassphrase(io, file, options);
    return () => given;
  }
  if (io.stdin.isTTY !== true) {
    throw new UsageError(
      `${file} would be encrypted, and there is no terminal to ask for a passphrase: give --passphrase-file FILE, or --no-passphrase`,
    );
  }
  return () => newPassphrase(io, file, options);
}

/**
 * Asks for a new passphrase, on a terminal until two good ones are equal.
 *
 * @throws {@link KeyRejected} if one in a file is too short
 */
export async function newPassphrase(
  io: Io,
  file: string,
  { passphraseFile }: Pick<NewKeyPassphraseOptions, 'passphraseFile'>,
): Promise<string> {
  if (passphraseFile !== undefined) {
    const passphrase = await passphraseFrom(io, passphraseFile)(file);
    const weakness = weaknessOf(passphrase);
    if (weakness === undefined) return passphrase;
    throw new KeyRejected(`the passphrase in ${passphraseFile} ${weakness}`);
  }
  for (;;) {
    const passphrase = await askPassphrase(io, file, {
      question: `New passphrase of ${file}, at least ${MIN_PASSPHRASE} characters`,
    });
    const weakness = weaknessOf(passphrase);
    if (weakness !== undefined) say(io, `the passphrase ${weakness}`);
    else if ((await askPassphrase(io, file, { question: 'The same once more' })) === passphrase)
      return passphrase;
    else say(io, 'the two differ: type both again');
  }
}

function weaknessOf(passphrase: string): string | undefined {
  const isLong = passphrase.length >= MIN_PASSPHRASE;
  if (isLong && passphrase.trim() !== '') return undefined;
  const what = isLong ? 'only white space' : `fewer than ${MIN_PASSPHRASE} characters`;
  return `has ${what}: choose one of at least ${MIN_PASSPHRASE} characters, such as five random words`;
}
