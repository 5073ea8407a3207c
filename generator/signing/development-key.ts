import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed } from '../errors.js';
import { DEVELOPMENT_KEY_FILE, privateFolder } from '../files/private-folder.js';
import { generatePrivateKey, privatePem, signerFor } from './key-file.js';
import type { Signer } from './sign.js';

/** The signer with this checkout's development key. Undefined if the key does not exist. */
export async function existingDevelopmentSigner(directory: string): Promise<Signer | undefined> {
  const file = join(directory, DEVELOPMENT_KEY_FILE);
  return existsSync(file) ? signerFor(readKey(file), true) : undefined;
}

/**
 * The signer with this checkout's development key. The key is created if it does not exist.
 *
 * @throws {@link IoFailed}
 */
export async function developmentSigner(directory: string): Promise<Signer> {
  const file = join(directory, DEVELOPMENT_KEY_FILE);
  ensureKey(directory, file);
  return signerFor(readKey(file), true);
}

function ensureKey(directory: string, file: string): void {
  const temporary = `${file}.${process.pid}`;
  try {
    privateFolder(directory);
    if (existsSync(file)) return;
    writeFileSync(temporary, privatePem(generatePrivateKey('Ed25519')), { mode: 0o600 });
    // `link` fails if the file exists, so two builds that start at the same time use the same key.
    linkSync(temporary, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new IoFailed(`the development key ${file} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
  } finally {
    rmSync(temporary, { force: true });
  }
}

function readKey(file: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(file));
  } catch {
    throw new IoFailed(
      `the development key ${file} cannot be read: remove the file, and the next build creates a new key`,
    );
  }
}
