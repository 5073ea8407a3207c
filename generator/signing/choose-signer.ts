import { KeyRejected, UsageError } from '../errors.js';
import { type CommandSignerOptions, commandSigner } from './command-signer.js';
import { developmentSigner, existingDevelopmentSigner } from './development-key.js';
import { loadRootKey, loadSigner, type Passphrase } from './key-file.js';
import type { Signer } from './sign.js';

/** Which key a build is to sign with. */
export interface SignerChoice {
  /** A file's path or `env:NAME`; without it and a command, the development key of the directory. */
  readonly key?: string | undefined;
  /** Asked for the passphrase of an encrypted key. Without it, one is refused. */
  readonly passphrase?: Passphrase | undefined;
  /** A command that signs, in place of a key. */
  readonly signer?: CommandSignerOptions | undefined;
  /** The file of the public JWK that the key must match. */
  readonly rootKey?: string | undefined;
  /** Whether a development key is out of the question. */
  readonly production: boolean;
  /** Whose development key. */
  readonly directory: string;
  /** Where `env:NAME` is looked up, and what a command gets. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * The signer of a build. A missing key is never made up for where production is meant.
 *
 * @throws {@link KeyRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function chooseSigner(choice: SignerChoice): Promise<Signer> {
  const signer = await givenOrDevelopmentSigner(choice);
  if (signer.development && choice.production) {
    throw new KeyRejected(
      'a development key is not used with --production or in CI: pass --key FILE or --key env:NAME',
    );
  }
  if (choice.rootKey !== undefined) {
    const expected = await loadRootKey(choice.rootKey, true, choice.env ?? process.env);
    if (expected.thumbprint !== signer.rootKey.thumbprint) {
      throw new KeyRejected(
        `the signing key is ${signer.rootKey.thumbprint}, but ${choice.rootKey} is ${expected.thumbprint}`,
      );
    }
  }
  return signer;
}

async function givenOrDevelopmentSigner(choice: SignerChoice): Promise<Signer> {
  const { key, passphrase, signer: command, rootKey, production, directory, env = process.env } = choice;
  if (command !== undefined) {
    if (key !== undefined) throw new UsageError('pass either a key or a signing command, not both');
    if (rootKey === undefined) {
      throw new UsageError(
        'a signing command needs the public key, under which its signatures are verified before they are used: --root-key; for ' +
          'checkpoints --public-key, or --checkpoint-public-key in a build',
      );
    }
    return commandSigner(await loadRootKey(rootKey, true, env), { env, ...command });
  }
  if (key === undefined) {
    if (!production) return developmentSigner(directory);
    throw new KeyRejected(
      'no signing key: with --production or in CI no development key is made, so pass --key FILE, --key env:NAME or --signer-command',
    );
  }
  const signer = await loadSigner(key, passphrase, env);
  const development = await existingDevelopmentSigner(directory);
  // The development key stays one when it is named outright.
  return development?.rootKey.thumbprint === signer.rootKey.thumbprint ? development : signer;
}
