import { type Dirent, readdirSync } from 'node:fs';

/** Something below a folder. */
export interface Entry {
  /** Its path from that folder, with slashes. */
  readonly path: string;
  readonly kind: 'file' | 'folder' | 'link' | 'other';
}

/** Everything below a folder. Links are listed and not followed. */
export function entriesBelow(folder: string): Entry[] {
  const found: Entry[] = [];
  walk(folder, (path, kind) => found.push({ path, kind }));
  return found;
}

/**
 * Goes through everything below a folder. Links are not followed.
 *
 * @param onEntry - told of each
 * @param isWanted - whether an entry of this name counts, and, if it is a folder, what is below it
 */
export function walk(
  folder: string,
  onEntry: (path: string, kind: Entry['kind']) => void,
  isWanted: (name: string) => boolean = () => true,
): void {
  const visit = (prefix: string) => {
    for (const entry of readdirSync(`${folder}/${prefix}`, { withFileTypes: true })) {
      if (!isWanted(entry.name)) continue;
      const path = `${prefix}${entry.name}`;
      const kind = kindOf(entry);
      onEntry(path, kind);
      if (kind === 'folder') visit(`${path}/`);
    }
  };
  visit('');
}

function kindOf(entry: Dirent): Entry['kind'] {
  if (entry.isFile()) return 'file';
  if (entry.isDirectory()) return 'folder';
  return entry.isSymbolicLink() ? 'link' : 'other';
}

/** Every path below a folder that is not itself a folder, with slashes, sorted; links are not followed. */
export function filesBelow(folder: string): string[] {
  const found: string[] = [];
  walk(folder, (path, kind) => kind !== 'folder' && found.push(path));
  return found.sort();
}

/** The folders that some paths need, each ending in a slash. */
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
