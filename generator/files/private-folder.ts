import { appendFileSync, existsSync, mkdirSync, readFileSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { wouldBeCommitted } from './git.js';

/** Where a checkout keeps what is its own and secret, from the working directory. */
export const PRIVATE_FOLDER = '.passport-registry';

/** Where its development key is, from the working directory. */
export const DEVELOPMENT_KEY_FILE = join(PRIVATE_FOLDER, 'development-key.pem');

/** Makes the folder if there is none; it ignores itself in git, whoever has made it. */
export function privateFolder(directory: string): string {
  const folder = join(directory, PRIVATE_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  ignoreIn(folder, '*');
  return folder;
}

/** Keeps a private file out of git, whatever folder it is put into. To be called before the file is there. */
export function ignoreFile(file: string, env: NodeJS.ProcessEnv): void {
  const folder = realpathSync(dirname(file));
  if (basename(folder) === PRIVATE_FOLDER) ignoreIn(folder, '*');
  else if (wouldBeCommitted(join(folder, basename(file)), env))
    ignoreIn(folder, `/${asPattern(basename(file))}`);
}

/** Adds a line to the folder's .gitignore, unless it has it. */
function ignoreIn(folder: string, pattern: string): void {
  const file = join(folder, '.gitignore');
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  if (text.split(/\r?\n/).includes(pattern)) return;
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${pattern}\n`);
}

/** A name as git takes it for itself. */
function asPattern(name: string): string {
  return name.replaceAll(/[\\*?[\]!# ]/g, (character) => `\\${character}`);
}
