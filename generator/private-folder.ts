import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Where a checkout keeps what is its own and secret, from the working directory. */
export const PRIVATE_FOLDER = '.passport-registry';

/** Where its development key is, from the working directory. */
export const DEVELOPMENT_KEY_FILE = join(PRIVATE_FOLDER, 'development-key.pem');

/** Makes the folder; it ignores itself in git, wherever the command is run. */
export function privateFolder(directory: string): string {
  const folder = join(directory, PRIVATE_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  writeFileSync(join(folder, '.gitignore'), '*\n');
  return folder;
}
