import type { Stats } from 'node:fs';
import type { RememberedTree } from './build-cache.js';
import type { KnownPublication } from './known-publication.js';
import { placesAmong } from './places-among.js';
import { Stamps } from './stamps.js';
import type { Tree } from './tree.js';
import { foldersOf } from './walk.js';

/** Notes what the files of a tree are like on the disk, for the next build. */
export class TreeStamps {
  readonly #paths: readonly string[];
  readonly #rows: ReadonlyMap<string, number>;
  readonly #stamps: Stamps;

  /**
   * @param before - what is known of the tree before; those of its files that are written anew are to be noted again
   */
  constructor(tree: Tree, before: KnownPublication | undefined) {
    this.#paths = [...tree.keys(), ...foldersOf(tree.keys())].sort();
    this.#rows = new Map(this.#paths.map((path, row) => [path, row]));
    this.#stamps = new Stamps(this.#paths.length);
    if (before === undefined) return;
    for (const [row, place] of placesAmong(this.#paths, before.tree.paths).entries()) {
      if (place !== -1) this.#stamps.copy(row, before.tree.stamps, place);
    }
  }

  /** @param stats - from before the file was read and found to be right */
  readonly note = (path: string, stats: Stats): void => {
    const row = this.#rows.get(path);
    if (row !== undefined) this.#stamps.set(row, stats);
  };

  /** All that has been noted. */
  remembered(): RememberedTree {
    return { paths: this.#paths, stamps: this.#stamps };
  }
}
