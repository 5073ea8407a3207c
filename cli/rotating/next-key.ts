import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { UsageError } from '../../generator/errors.js';
import { workTreeAround } from '../../generator/files/git.js';
import { assertOutside } from '../../generator/files/output-folder.js';
import { isWithin } from '../../generator/files/walk.js';
import { publicHalf } from '../../generator/signing/key-file.js';
import type { RotateOptions } from './rotation-choice.js';

/**
 * Reads the next root key, as far as that needs no passphrase.
 *
 * @returns undefined if the key is encrypted
 * @throws {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function readNextKey({
  next: { key },
  out,
  issuers,
  env,
}: RotateOptions): Promise<RootKey | undefined> {
  if (key === undefined) throw new UsageError('name the next root key: pass --next-key FILE');
  if (!key.startsWith('env:')) {
    if (!existsSync(key))
      throw new UsageError(
        `${key} does not exist: make the next key first, with \`keys generate --private ${key}\``,
      );
    assertSafePlace(key, { out, issuers });
  }
  return publicHalf(key, env);
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
