import type { Repository } from './git.js';
import { git, LITERAL, splitFields } from './run-git.js';
import { foldersOf } from './walk.js';

/** The file with which git changes other files at checkout. */
export const ATTRIBUTES_FILE = '.gitattributes';

/** Whether a file of this name makes git change other files at checkout. Some file systems ignore case. */
export function isAttributesFile(name: string): boolean {
  return name.toLowerCase() === ATTRIBUTES_FILE;
}

/**
 * Lists the files with attributes in the folders that contain the folder of the records. They apply to the records, too.
 *
 * @returns for each path relative to the top folder, what identifies the content and the kind of the file
 */
export function attributesAbove(commit: string, { prefix, ...repository }: Repository): Map<string, string> {
  const found = new Map<string, string>();
  const above = prefix === '' ? [] : ['', ...foldersOf([prefix.slice(0, -1)])];
  for (const folder of above) {
    const within = folder === '' ? [] : ['--', folder];
    const listing = git([...LITERAL, 'ls-tree', '-z', '--full-tree', commit, ...within], repository);
    for (const line of splitFields(listing)) {
      const [, identity = '', path = ''] = /^(.*?)\t(.*)$/s.exec(line) ?? [];
      if (isAttributesFile(path.slice(folder.length))) found.set(path, identity);
    }
  }
  return found;
}
