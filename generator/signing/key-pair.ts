import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { printableJson } from '../diagnostics/printable.js';
import { IoFailed, UsageError } from '../errors.js';
import { generateKeyFile, type KeyCurve, type NewKeyOptions } from './key-file.js';

/**
 * Generates a private key in a new file, and writes its public JWK to another new file: both files, or none. A file
 * that exists is left as it is.
 *
 * @param files - where to write the two
 * @throws {@link UsageError} | {@link IoFailed} | {@link KeyRejected}
 */
export async function generateKeyPair(
  algorithm: KeyCurve,
  { privateKey, publicKey }: { readonly privateKey: string; readonly publicKey: string },
  options: NewKeyOptions,
): Promise<RootKey> {
  if (resolve(privateKey) === resolve(publicKey)) {
    throw new UsageError('the private key and the public key need two files');
  }
  // A new key is never the key of an existing file.
  if (existsSync(publicKey)) throw exists(publicKey);
  const key = await generateKeyFile(algorithm, privateKey, options);
  try {
    writeFileSync(publicKey, `${printableJson(key.jwk)}\n`, { flag: 'wx' });
  } catch (cause) {
    // Nobody has used the key yet.
    rmSync(privateKey);
    if ((cause as NodeJS.ErrnoException).code === 'EEXIST') throw exists(publicKey);
    throw new IoFailed(`${publicKey} cannot be written: ${(cause as NodeJS.ErrnoException).code}`, { cause });
  }
  return key;
}

function exists(file: string): IoFailed {
  return new IoFailed(
    `${file} already exists, so no key was generated: move the file, or print its public JWK with \`keys public\``,
  );
}
