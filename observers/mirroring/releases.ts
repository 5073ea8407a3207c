import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  renameSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { printable } from '../../generator/diagnostics/printable.js';
import { UsageError } from '../../generator/errors.js';
import { flushFolder, flushTree } from '../../generator/files/flush.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';

/** Names a release by its statements, which name all other files. Names sort by time, and the same tree has the same name. */
export function releaseName(folder: string, updatedAt: string): string {
  const statements = readIfReadable(folder, PATHS.statements) ?? Buffer.alloc(0);
  return `${updatedAt.replaceAll(/[-:]/g, '')}-${sha256(statements).slice(0, 16)}`;
}

/** Readers may still use the previous release, and slow readers the one before. */
const KEPT_RELEASES = 3;

/**
 * The folder of a mirror. Every accepted tree is a release, and `current` is a link to one of the releases. A host
 * serves `current`. One rename of the link switches all files at once.
 */
export class Releases {
  readonly #folder: string;

  /**
   * @throws {@link UsageError} if the folder holds files of something else, or if `current` is not a link, because a
   * rename can't switch it
   */
  constructor(folder: string) {
    this.#folder = folder;
    assertOwnFolder(folder);
    const stats = lstatSync(this.#link, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isSymbolicLink()) {
      throw new UsageError(
        `${this.#link} is not a symbolic link, which a mirror needs to switch releases: name another folder`,
      );
    }
    mkdirSync(join(folder, 'releases'), { recursive: true });
  }

  get #link(): string {
    return join(this.#folder, 'current');
  }

  /** Returns the name of the release being served; undefined if there is none yet. */
  current(): string | undefined {
    if (!existsSync(this.#link)) return undefined;
    return basename(readlinkSync(this.#link));
  }

  /** Returns the folder of a release. */
  path(name: string): string {
    return join(this.#folder, 'releases', name);
  }

  /** Returns the names of all releases: the release being served, then the others, newest first. */
  newestFirst(): string[] {
    const serving = this.current();
    const others = readdirSync(join(this.#folder, 'releases')).filter((name) => name !== serving);
    return [...(serving === undefined ? [] : [serving]), ...others.sort().reverse()];
  }

  /** Returns the name of a release without the suffix that `unused` adds. */
  baseOf(name: string): string {
    return name.replace(/\.\d+$/, '');
  }

  /** Returns an unused name for another copy of a release. A rename can't replace the folder being served. */
  unused(base: string): string {
    let copy = 2;
    while (existsSync(this.path(`${base}.${copy}`))) copy++;
    return `${base}.${copy}`;
  }

  /** Makes a folder a release, serves the release, and removes the oldest releases. */
  async switchTo(tree: string, name: string): Promise<void> {
    const release = this.path(name);
    // A run that was killed before the switch may have left this folder, or it was served some time ago.
    if (name !== this.current()) rmSync(release, { recursive: true, force: true });
    // Before the switch, after which nothing else has these files.
    await flushTree(tree);
    renameSync(tree, release);
    flushFolder(dirname(release));
    const fresh = `${this.#link}.new`;
    rmSync(fresh, { force: true });
    symlinkSync(join('releases', name), fresh);
    renameSync(fresh, this.#link);
    flushFolder(this.#folder);
    this.#prune(name);
  }

  #prune(current: string): void {
    const names = readdirSync(join(this.#folder, 'releases')).sort().reverse();
    const old = names.filter((name) => name !== current).slice(KEPT_RELEASES - 1);
    for (const name of old) rmSync(this.path(name), { recursive: true, force: true });
  }
}

/** Asserts that a mirror can start in a folder, or has started there. Hidden files and `lost+found` do not matter. */
function assertOwnFolder(folder: string): void {
  const names = readdirSync(folder);
  if (names.includes('releases')) return;
  const other = names.find((name) => !name.startsWith('.') && !['current', 'lost+found'].includes(name));
  if (other === undefined) return;
  throw new UsageError(
    `${folder} contains ${printable(other)}, but no releases: name the folder of a mirror, or an empty folder`,
  );
}
