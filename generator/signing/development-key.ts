import { createPrivateKey, type KeyObject } from 'node:crypto';
import { existsSync, linkSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { IoFailed } from '../errors.js';
import { DEVELOPMENT_KEY_FILE, privateFolder } from '../files/private-folder.js';
import { generatePrivateKey, privatePem, signerFor } from './key-file.js';
import type { Signer } from './sign.js';

/** The signer of this checkout's development key, if one has been made. */
export async function existingDevelopmentSigner(directory: string): Promise<Signer | undefined> {
  const file = join(directory, DEVELOPMENT_KEY_FILE);
  return existsSync(file) ? signerFor(readKey(file), true) : undefined;
}

/**
 * The signer of this checkout's development key; the key is made when there is none.
 *
 * @throws {@link IoFailed}
 */
export async function developmentSigner(directory: string): Promise<Signer> {
  const file = join(directory, DEVELOPMENT_KEY_FILE);
  makeKeyOnce(directory, file);
  return signerFor(readKey(file), true);
}

function makeKeyOnce(directory: string, file: string): void {
  const fresh = `${file}.${process.pid}`;
  try {
    privateFolder(directory);
    if (existsSync(file)) return;
    writeFileSync(fresh, privatePem(generatePrivateKey('Ed25519')), { mode: 0o600 });
    // Linking fails where a file exists: of two builds that start together, both use the first one's key.
    linkSync(fresh, file);
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== 'EEXIST') {
      throw new IoFailed(`the development key ${file} cannot be written: ${(cause as Error).message}`, {
        cause,
      });
    }
  } finally {
    rmSync(fresh, { force: true });
  }
}

function readKey(file: string): KeyObject {
  try {
    return createPrivateKey(readFileSync(file));
  } catch {
    throw new IoFailed(
      `the development key ${file} cannot be read; remove it, and the next build makes a new one`,
    );
  }
}
