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
import { basename, join } from 'node:path';
import { UsageError } from '../errors.js';

/** A reader may still be in the release before, and one that is slow in the one before that. */
const KEPT_RELEASES = 3;

/**
 * The folder of a mirror: every tree that it took is a release, and `current` is a link to one of them. A host serves what
 * `current` leads to; one rename of the link switches all files at once.
 */
export class Releases {
  readonly #folder: string;

  /** @throws {@link UsageError} when `current` is a folder of its own, which no rename can switch */
  constructor(folder: string) {
    this.#folder = folder;
    const stats = lstatSync(this.#link, { throwIfNoEntry: false });
    if (stats !== undefined && !stats.isSymbolicLink()) {
      throw new UsageError(
        `${this.#link} is not a symbolic link: a mirror switches by a link, so choose another folder`,
      );
    }
    mkdirSync(join(folder, 'releases'), { recursive: true });
  }

  get #link(): string {
    return join(this.#folder, 'current');
  }

  /** The name of the release that is served; undefined when there is none yet. */
  current(): string | undefined {
    if (!existsSync(this.#link)) return undefined;
    return basename(readlinkSync(this.#link));
  }

  /** The folder of a release. */
  path(name: string): string {
    return join(this.#folder, 'releases', name);
  }

  /** The names of all releases, that which is served first. */
  newestFirst(): string[] {
    const serving = this.current();
    const others = readdirSync(join(this.#folder, 'releases')).filter((name) => name !== serving);
    return [...(serving === undefined ? [] : [serving]), ...others.sort().reverse()];
  }

  /** The name of a release without what `unused` has added. */
  baseOf(name: string): string {
    return name.replace(/\.\d+$/, '');
  }

  /** A name for another copy of a release: rename cannot replace a folder that is served. */
  unused(base: string): string {
    let copy = 2;
    while (existsSync(this.path(`${base}.${copy}`))) copy++;
    return `${base}.${copy}`;
  }

  /** Makes a folder a release and serves it; removes the oldest releases. */
  switchTo(tree: string, name: string): void {
    const release = this.path(name);
    // Left behind by a run that was killed before the switch, or served some time ago.
    if (name !== this.current()) rmSync(release, { recursive: true, force: true });
    renameSync(tree, release);
    const fresh = `${this.#link}.new`;
    rmSync(fresh, { force: true });
    symlinkSync(join('releases', name), fresh);
    renameSync(fresh, this.#link);
    this.#prune(name);
  }

  #prune(current: string): void {
    const names = readdirSync(join(this.#folder, 'releases')).sort().reverse();
    const old = names.filter((name) => name !== current).slice(KEPT_RELEASES - 1);
    for (const name of old) rmSync(this.path(name), { recursive: true, force: true });
  }
}
