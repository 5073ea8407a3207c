import { appendFileSync, existsSync, mkdirSync, realpathSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { UsageError } from '../errors.js';
import { gitFate } from './git.js';
import { readText } from './read-file.js';

/** The folder for private files of a checkout, relative to the working directory. */
export const PRIVATE_FOLDER = '.passport-registry';

/** The file of the development key, relative to the working directory. */
export const DEVELOPMENT_KEY_FILE = join(PRIVATE_FOLDER, 'development-key.pem');

/** Creates the private folder if it does not exist, and makes git ignore the folder in any case. */
export function privateFolder(directory: string): string {
  const folder = join(directory, PRIVATE_FOLDER);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  addToGitignore(folder, '*');
  return folder;
}

/**
 * Makes git ignore a private file in any folder. Call this function before the file exists.
 *
 * @throws {@link UsageError} if git would commit the file all the same
 */
export function ignoreFile(file: string, env: NodeJS.ProcessEnv): void {
  const folder = realpathSync(dirname(file));
  const path = join(folder, basename(file));
  if (basename(folder) === PRIVATE_FOLDER) addToGitignore(folder, '*');
  else if (['committed', 'unknown'].includes(gitFate(path, env) ?? ''))
    addToGitignore(folder, `/${toGitPattern(basename(file))}`);
  if (gitFate(path, env) !== 'committed') return;
  throw new UsageError(
    `${file} is in a git repository, which would commit it although .gitignore names it: choose a folder outside of the repository`,
  );
}

/** Makes a line the last one of the folder's .gitignore, so that no other line overrides it. */
function addToGitignore(folder: string, pattern: string): void {
  const file = join(folder, '.gitignore');
  const text = existsSync(file) ? readText(file) : '';
  if (text.trimEnd().split(/\r?\n/).at(-1) === pattern) return;
  const start = text === '' || text.endsWith('\n') ? '' : '\n';
  appendFileSync(file, `${start}${pattern}\n`);
}

/** Escapes a file name, so that the git pattern matches only this name. */
function toGitPattern(name: string): string {
  return name.replaceAll(/[\\*?[\]!# ]/g, (character) => `\\${character}`);
}
