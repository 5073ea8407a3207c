import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { ignoring, TreeRejected } from '../errors.js';
import { PRIVATE_FOLDER, privateFolder } from '../files/private-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { writePrivateFile } from '../files/replace-file.js';
import { PATHS } from '../tree/paths.js';
import { acceptStatements } from '../verification/accept.js';
import { pinnedKey } from '../verification/pinned-trust.js';
import { memorySource } from '../verification/tree-source.js';

/** The folder with the newest statements that this machine has read at the registry's URL, relative to the working directory. */
export const READ_AT_URL = join(PRIVATE_FOLDER, 'url');

/** Returns the newest statements.json that this machine has read at the registry's URL. Undefined if there is none. */
export const rememberedRead = (): Buffer | undefined => readIfReadable(READ_AT_URL, PATHS.statements);

/**
 * Remembers what the registry's URL serves, unless a verifier that has accepted the remembered statements would refuse it. `load`
 * refuses the same.
 *
 * @param statements - the bytes of statements.json
 */
export async function rememberRead(statements: Uint8Array, rootKey: RootKey): Promise<void> {
  const known = rememberedRead()?.toString('utf8');
  const accepted = known === undefined ? [] : [{ version: 1 as const, statements: known }];
  const source = memorySource(new Map([[PATHS.statements, statements]]));
  const trust = pinnedKey(rootKey);
  const newest = await acceptStatements(source, { trust, expiry: false, accepted }).catch(
    ignoring(TreeRejected),
  );
  if (newest === undefined) return;
  try {
    privateFolder('.');
    mkdirSync(READ_AT_URL, { recursive: true, mode: 0o700 });
    writePrivateFile(join(READ_AT_URL, PATHS.statements), Buffer.from(statements).toString('utf8'));
  } catch {
    // A folder that cannot be written must not stop a signature.
  }
}
