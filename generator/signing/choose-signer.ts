import { KeyRejected, UsageError } from '../errors.js';
import { type CommandSignerOptions, commandSigner } from './command-signer.js';
import { developmentSigner, existingDevelopmentSigner } from './development-key.js';
import { loadRootKey, loadSigner, type Passphrase, publicHalf } from './key-file.js';
import { publicSigner, type Signer } from './sign.js';

/** The choice of the key that signs a build. */
export interface SignerChoice {
  /** The path of a key file, or `env:NAME`. Without a key and a command, the development key of the directory signs. */
  readonly key?: string | undefined;
  /** Provides the passphrase of an encrypted key. Without this function, encrypted keys are refused. */
  readonly passphrase?: Passphrase | undefined;
  /** A command that signs instead of a key. */
  readonly signer?: CommandSignerOptions | undefined;
  /** The file of the public JWK that the signing key must match. */
  readonly rootKey?: string | undefined;
  /** Whether a development key is refused. */
  readonly production: boolean;
  /** The directory of the development key. */
  readonly directory: string;
  /** The environment for `env:NAME` and for the command. Default: the environment of this process. */
  readonly env?: NodeJS.ProcessEnv | undefined;
}

/**
 * Chooses the signer of a build. In production, a development key never replaces a missing key.
 *
 * @throws {@link KeyRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function chooseSigner(choice: SignerChoice): Promise<Signer> {
  const signer = await selectSigner(choice);
  if (signer.development && choice.production) {
    throw new KeyRejected(
      'a development key is not used with --production or in CI: pass --key FILE or --key env:NAME',
    );
  }
  if (choice.rootKey !== undefined) {
    const expected = await loadRootKey(choice.rootKey, choice.env ?? process.env);
    if (expected.thumbprint !== signer.rootKey.thumbprint) {
      const found = signer.rootKey.thumbprint + (signer.development ? ', a development key' : '');
      throw new KeyRejected(
        `the signing key is ${found}, but ${choice.rootKey} is ${expected.thumbprint}: pass the key of ${choice.rootKey} with --key, or set ` +
          'signer in registry.yaml',
      );
    }
  }
  return signer;
}

/**
 * Chooses the signer of a build that may need no new signature. If only the public root key is given, and it is not the
 * development key, the build can keep what the key has signed, and fails where something new must be signed. Beside the public
 * root key, an encrypted key is read only there, too, so that a build asks for no passphrase that it does not need.
 *
 * @throws {@link KeyRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function chooseBuildSigner(choice: SignerChoice): Promise<Signer> {
  const { key, signer, rootKey: file, directory, env = process.env } = choice;
  if (signer !== undefined || file === undefined) return chooseSigner(choice);
  if (key !== undefined && (await publicHalf(key, env)) !== undefined) return chooseSigner(choice);
  const rootKey = await loadRootKey(file, env);
  if (key !== undefined) {
    let opened: Promise<Signer> | undefined;
    const signLater = async (bytes: Uint8Array) => {
      opened ??= chooseSigner(choice);
      return (await opened).sign(bytes);
    };
    return { rootKey, development: false, sign: signLater };
  }
  const development = await existingDevelopmentSigner(directory);
  if (development?.rootKey.thumbprint === rootKey.thumbprint) return chooseSigner(choice);
  const remedy = 'pass --key, set signer in registry.yaml, or write a request with --unsigned';
  return publicSigner(
    rootKey,
    `the root key ${rootKey.thumbprint} (${file}) must sign something new: ${remedy}`,
  );
}

async function selectSigner(choice: SignerChoice): Promise<Signer> {
  const { key, passphrase, signer: command, rootKey, production, directory, env = process.env } = choice;
  if (command !== undefined) {
    if (key !== undefined) throw new UsageError('pass either a key or a signing command, not both');
    if (rootKey === undefined) {
      throw new UsageError(
        'a signing command needs the public key: pass --root-key or, for checkpoints and the log, set public_key in registry.yaml',
      );
    }
    return commandSigner(await loadRootKey(rootKey, env), { env, ...command });
  }
  if (key === undefined) {
    if (!production) return developmentSigner(directory);
    throw new KeyRejected(
      'no signing key, and no development key is made with --production or in CI: pass --key, or set signer in registry.yaml',
    );
  }
  const signer = await loadSigner(key, passphrase, env);
  const development = await existingDevelopmentSigner(directory);
  // The development key stays a development key even if `key` names it explicitly.
  return development?.rootKey.thumbprint === signer.rootKey.thumbprint ? development : signer;
}
