import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { workTreeAround } from '../../generator/files/git.js';
import { assertOutside } from '../../generator/files/output-folder.js';
import { isWithin } from '../../generator/files/walk.js';
import { chooseSigner, type SignerChoice } from '../../generator/signing/choose-signer.js';
import { generateKeyFile, loadRootKey, publicHalf } from '../../generator/signing/key-file.js';
import type { Signer } from '../../generator/signing/sign.js';
import type { RotateOptions } from './rotation-choice.js';

/** What is known about the next root key before a rotation goes on. */
export interface NextKey {
  /** Undefined if the key is not made yet, or is encrypted and has not been used yet. */
  readonly next: RootKey | undefined;
  /** Whether the key file does not exist yet. */
  readonly makesKey: boolean;
}

/**
 * Reads the next root key, as far as that needs no passphrase.
 *
 * @throws {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function readNextKey({ next: choice, out, issuers }: RotateOptions): Promise<NextKey> {
  const { key, signer, rootKey } = choice;
  if ((key === undefined) === (signer === undefined)) {
    throw new UsageError('pass the next root key: either --next-key FILE or --next-signer-command');
  }
  if (signer !== undefined && rootKey === undefined) {
    throw new UsageError(
      'a signing command needs the public key to verify its signatures: pass --next-root-key',
    );
  }
  const isFile = key !== undefined && !key.startsWith('env:');
  const makesKey = isFile && !existsSync(key);
  if (isFile) assertSafePlace(key, { out, issuers });
  return { next: await namedKey(choice, makesKey), makesKey };
}

async function namedKey(
  { key, rootKey, env = process.env }: SignerChoice,
  makesKey: boolean,
): Promise<RootKey | undefined> {
  if (rootKey !== undefined) return loadRootKey(rootKey, env);
  return key === undefined || makesKey ? undefined : publicHalf(key, env);
}

/** A build removes other files from the output folder, and a commit would publish a key in the git repository of the records. */
function assertSafePlace(key: string, { out, issuers }: Pick<RotateOptions, 'out' | 'issuers'>): void {
  const keyFolder = dirname(resolve(key));
  assertOutside(out, [keyFolder]);
  const repository = workTreeAround(issuers);
  if (repository === undefined || !isInside(repository, keyFolder)) return;
  throw new UsageError(
    `--next-key ${key} is in the git repository ${repository}: keep the private key in another folder`,
  );
}

/** Whether a path, which need not exist, is in a folder, or is the folder itself. Links are resolved. */
function isInside(folder: string, path: string): boolean {
  if (!existsSync(path)) return isInside(folder, dirname(path));
  return isWithin(realpathSync(folder), realpathSync(path));
}

/**
 * Returns the signer with the next root key. Makes the key file if it does not exist, and never replaces or removes one.
 *
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function nextSigner(
  { next: choice, algorithm, newPassphrase, env }: RotateOptions,
  { makesKey, next }: NextKey,
): Promise<Signer> {
  const { key } = choice;
  if (!makesKey || key === undefined || newPassphrase === undefined) {
    const signer = await chooseSigner({ ...choice, production: true });
    if (next === undefined || signer.rootKey.thumbprint === next.thumbprint) return signer;
    throw new KeyRejected(
      `${key ?? 'the signing command'} has the key ${signer.rootKey.thumbprint}, but --next-root-key is ${next.thumbprint}`,
    );
  }
  // Asked once: the new key is read with the same passphrase.
  const typed = await newPassphrase(key);
  await generateKeyFile(algorithm, key, { newPassphrase: () => typed, env });
  return chooseSigner({ ...choice, passphrase: () => typed ?? '', production: true });
}
