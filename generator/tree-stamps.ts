import type { Stats } from 'node:fs';
import type { RememberedTree } from './build-cache.js';
import { sha256 } from './checksums.js';
import type { KnownPublication } from './known-publication.js';
import { Stamps } from './stamps.js';
import type { Tree } from './tree.js';
import { foldersOf } from './walk.js';

/** Notes what the files of a tree are like on the disk, for the next build. */
export class TreeStamps {
  readonly #tree: Tree;
  readonly #paths: readonly string[];
  readonly #stamps: Stamps;

  /**
   * @param before - what is known of the tree before; those of its files that are written anew are to be noted again
   */
  constructor(tree: Tree, before: KnownPublication | undefined) {
    this.#tree = tree;
    this.#paths = [...tree.keys(), ...foldersOf(tree.keys())].sort();
    this.#stamps = new Stamps(this.#paths.length);
    if (before === undefined) return;
    const { paths, stamps } = before.tree;
    let at = 0;
    for (const [row, path] of this.#paths.entries()) {
      while (at < paths.length && (paths[at] as string) < path) at++;
      if (paths[at] === path) this.#stamps.copy(row, stamps, at);
    }
  }

  /** @param stats - from before the file was read and found to be right */
  readonly note = (path: string, stats: Stats): void => {
    this.#stamps.set(this.#rowOf(path), stats);
  };

  /** By halving: a map of all paths would take longer to make than is saved. */
  #rowOf(path: string): number {
    let row = 0;
    for (let end = this.#paths.length; row < end; ) {
      const middle = (row + end) >> 1;
      if ((this.#paths[middle] as string) < path) row = middle + 1;
      else end = middle;
    }
    return row;
  }

  /** All that has been noted. */
  remembered(): RememberedTree {
    const recent = this.#paths.flatMap((path, row): [string, string][] => {
      const bytes = this.#stamps.isNoted(row) ? undefined : this.#tree.get(path);
      return bytes === undefined ? [] : [[path, sha256(bytes)]];
    });
    return { paths: this.#paths, stamps: this.#stamps, recent: new Map(recent) };
  }
}
