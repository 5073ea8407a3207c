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
import { assertCommitted, publishedSteps } from '../../generator/tree/commitment.js';
import { type RotationFiles, writeRotationFile } from '../operating/rotation-files.js';
import type { PlanChoice, RotationChoice } from './rotation-choice.js';

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
 * @throws {@link KeyRejected} if the folder of the rotation belongs to another key; {@link UsageError} | {@link IoFailed}
 */
export async function readNextKey(
  { next: choice, out, issuers }: PlanChoice,
  files: RotationFiles,
): Promise<NextKey> {
  const { key, signer, rootKey } = choice;
  if ((key === undefined) === (signer === undefined)) {
    throw new UsageError('pass the next root key: either --next-key FILE or --next-signer-command');
  }
  if (signer !== undefined && rootKey === undefined) {
    throw new UsageError(
      'a signing command needs the public key to verify its signatures: pass --next-root-key',
    );
  }
  const makesKey = key !== undefined && !key.startsWith('env:') && !existsSync(key);
  if (key !== undefined && !key.startsWith('env:'))
    assertSafePlace(key, { folder: files.folder, out, issuers });
  const named = await namedKey(choice, makesKey);
  if (files.next !== undefined && named !== undefined && named.thumbprint !== files.next.thumbprint) {
    throw otherKey(named, files, rootKey ?? key ?? '');
  }
  return { next: files.next ?? named, makesKey };
}

async function namedKey(
  { key, rootKey, env = process.env }: SignerChoice,
  makesKey: boolean,
): Promise<RootKey | undefined> {
  if (rootKey !== undefined) return loadRootKey(rootKey, env);
  return key === undefined || makesKey ? undefined : publicHalf(key, env);
}

function otherKey(key: RootKey, { folder, next }: RotationFiles, where: string): KeyRejected {
  return new KeyRejected(
    `${where} is ${key.thumbprint}, but ${folder} belongs to a rotation to ${next?.thumbprint}: use that key or, if that ` +
      `rotation is complete or given up, remove ${folder}`,
  );
}

/**
 * A build removes other files from the output folder, the operator removes the folder of the rotation, and a commit
 * would publish a key in the git repository of the records.
 */
function assertSafePlace(
  key: string,
  { folder, out, issuers }: Pick<PlanChoice, 'folder' | 'out' | 'issuers'>,
): void {
  const keyFolder = dirname(resolve(key));
  assertOutside(out, [keyFolder, dirname(resolve(folder))]);
  if (keyFolder === resolve(folder)) {
    throw new UsageError(`${key} is in ${folder}, which is removed after the rotation: name another folder`);
  }
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

/** What the next key signs before the outgoing key names it. This is neither a list nor a statement. */
const TRIAL = Buffer.from('passport-registry: a trial signature\n');

/**
 * Returns the signer with the next root key. Makes the key file if it does not exist, and never replaces or removes one.
 * Writes the public key into the folder of the rotation.
 *
 * @throws {@link KeyRejected} | {@link IoFailed}
 */
export async function nextSigner(
  { next: choice, algorithm, newPassphrase, env, out }: RotationChoice,
  plan: NextKey & { readonly files: RotationFiles; readonly outgoing: RootKey },
): Promise<Signer> {
  const { files, makesKey, outgoing } = plan;
  const { key } = choice;
  const isMade = makesKey && key !== undefined && newPassphrase !== undefined;
  const made = isMade ? await generateKeyFile(algorithm, key, { newPassphrase, env }) : undefined;
  const signer = await chooseSigner({ ...choice, production: true });
  const expected = made ?? plan.next;
  if (expected !== undefined && signer.rootKey.thumbprint !== expected.thumbprint) {
    throw new KeyRejected(
      `${key ?? 'the signing command'} has the key ${signer.rootKey.thumbprint}, but the plan was a rotation to ${expected.thumbprint}`,
    );
  }
  if (publishedSteps(out).some(({ kid }) => kid === signer.rootKey.thumbprint)) {
    throw new KeyRejected(
      `the next key ${signer.rootKey.thumbprint} was the root key before: verifiers never go back to a key, so use a new one`,
    );
  }
  if (signer.rootKey.thumbprint === outgoing.thumbprint) {
    throw new KeyRejected(`the next key is the outgoing key: ${outgoing.thumbprint}`);
  }
  assertCommitted(outgoing, signer.rootKey.thumbprint);
  // A step to a key that the command does not have would lose the registry. A signer verifies its own signatures.
  if (choice.signer !== undefined && files.step === undefined) await signer.sign(TRIAL);
  if (files.next === undefined) writeRotationFile(files.folder, 'next', JSON.stringify(signer.rootKey.jwk));
  return signer;
}
