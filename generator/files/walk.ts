import { type Dirent, readdirSync } from 'node:fs';
import { relative, sep } from 'node:path';

/** An entry below a folder. */
export interface Entry {
  /** The path relative to the folder, with slashes. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/**
 * Lists everything below a folder. Links are listed but not followed.
 *
 * @param isWanted - decides by path whether an entry is listed; a folder that is not listed is not searched either
 */
export function entriesBelow(folder: string, isWanted: (path: string) => boolean = () => true): Entry[] {
  const found: Entry[] = [];
  const visit = (prefix: string) => {
    for (const entry of readdirSync(`${folder}/${prefix}`, { withFileTypes: true })) {
      const path = `${prefix}${entry.name}`;
      if (!isWanted(path)) continue;
      const kind = kindOf(entry);
      found.push({ path, kind });
      if (kind === 'folder') visit(`${path}/`);
    }
  };
  visit('');
  return found;
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** Lists every path below a folder that is not a folder, with slashes, sorted. Links are listed but not followed. */
export function filesBelow(folder: string): string[] {
  return entriesBelow(folder)
    .flatMap(({ path, kind }) => (kind === 'folder' ? [] : [path]))
    .sort();
}

/** Whether a path is that of a folder, or of something below it. Links are not resolved. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== '..' && !way.startsWith(`..${sep}`);
}

/** Lists all parent folders of some paths, each with a slash at the end. */
export function foldersOf(paths: Iterable<string>): Set<string> {
  const folders = new Set<string>();
  for (const path of paths) {
    for (let end = path.lastIndexOf('/'); end > 0; end = path.lastIndexOf('/', end - 1)) {
      const folder = path.slice(0, end + 1);
      if (folders.has(folder)) break;
      folders.add(folder);
    }
  }
  return folders;
}
