import {
  consistencyProof,
  hashesFromTiles,
  rangeRoot,
  subtreeRoot,
  TILE_WIDTH,
  type TilePlace,
} from '@passport-registry/verifier/core';
import type { Tile } from './log-files.js';

/** The Merkle tree of a whole log in memory. Every tile and every earlier root follow from the hashes of the entries. */
export class LogTree {
  readonly size: number;
  /** All tiles as wide as they are, by level and index. */
  readonly #levels: readonly (readonly Tile[])[];

  /** @param leaves - the hashes of the entries, in order */
  constructor(leaves: readonly Uint8Array[]) {
    this.size = leaves.length;
    this.#levels = tilesOf(leaves);
  }

  /** Returns all tiles as wide as they are. */
  tiles(): readonly Tile[] {
    return this.#levels.flat();
  }

  /** Returns a tile, which may be narrower than it could be. Undefined if the tree has no such tile. */
  tile({ level, index, width }: TilePlace): Uint8Array | undefined {
    const tile = this.#levels[level]?.[index];
    return tile === undefined || tile.place.width < width ? undefined : tile.bytes.subarray(0, width * 32);
  }

  /** Returns the root of the first entries. */
  rootAt(size: number): Promise<Uint8Array> {
    return rangeRoot(0, size, this.#hashes(size));
  }

  /** Returns the proof that the whole tree contains the tree of the first entries. */
  proofFrom(size: number): Promise<Uint8Array[]> {
    return consistencyProof(size, this.size, this.#hashes(this.size));
  }

  #hashes(size: number) {
    return hashesFromTiles(size, async (place) => this.tile(place) as Uint8Array);
  }
}

/** Computes all tiles of a tree, by level and index. */
function tilesOf(leaves: readonly Uint8Array[]): Tile[][] {
  const levels: Tile[][] = [];
  for (let row = leaves; row.length > 0; ) {
    const level = levels.length;
    const tiles: Tile[] = [];
    const above: Uint8Array[] = [];
    for (let at = 0; at < row.length; at += TILE_WIDTH) {
      const hashes = row.slice(at, at + TILE_WIDTH);
      const place = { level, index: at / TILE_WIDTH, width: hashes.length };
      tiles.push({ place, bytes: Buffer.concat(hashes) });
      if (hashes.length === TILE_WIDTH) above.push(subtreeRoot(hashes, 0, TILE_WIDTH));
    }
    levels.push(tiles);
    row = above;
  }
  return levels;
}
