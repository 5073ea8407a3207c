import {
  consistencyProof,
  nodeHash,
  rangeRoot,
  type SubtreeHash,
  TILE_HEIGHT,
  TILE_WIDTH,
  type TilePlace,
  tileWidth,
} from '@passport-registry/verifier/core';
import type { Tile } from './log-files.js';

/** The Merkle tree of a whole log in memory. Every tile and every earlier root follow from the hashes of the entries. */
export class LogTree {
  readonly size: number;
  /** The hashes of all complete subtrees: of 2^n entries in row n. */
  readonly #rows: readonly (readonly Uint8Array[])[];

  /** @param leaves - the hashes of the entries, in order */
  constructor(leaves: readonly Uint8Array[]) {
    this.size = leaves.length;
    this.#rows = rowsOf(leaves);
  }

  /** Returns all tiles as wide as they are. */
  tiles(): readonly Tile[] {
    const levels = this.#rows.filter((_row, height) => height % TILE_HEIGHT === 0);
    return levels.flatMap((row, level) =>
      Array.from({ length: Math.ceil(row.length / TILE_WIDTH) }, (_one, index) => {
        const place = { level, index, width: tileWidth(level, index, this.size) };
        return { place, bytes: bytesOf(row, place) };
      }),
    );
  }

  /** Returns a tile, which may be narrower than it could be. Undefined if the tree has no such tile. */
  tile(place: TilePlace): Uint8Array | undefined {
    const row = this.#rows[place.level * TILE_HEIGHT] ?? [];
    return row.length < place.index * TILE_WIDTH + place.width ? undefined : bytesOf(row, place);
  }

  /** Returns the root of the first entries. */
  rootAt(size: number): Promise<Uint8Array> {
    return rangeRoot(0, size, this.#hash);
  }

  /** Returns the proof that the whole tree contains the tree of the first entries. */
  proofFrom(size: number): Promise<Uint8Array[]> {
    return consistencyProof(size, this.size, this.#hash);
  }

  readonly #hash: SubtreeHash = async (height, index) => this.#rows[height]?.[index] as Uint8Array;
}

function bytesOf(row: readonly Uint8Array[], { index, width }: TilePlace): Uint8Array {
  const first = index * TILE_WIDTH;
  return Buffer.concat(row.slice(first, first + width));
}

/** Computes the hashes of all complete subtrees. Each row has half as many as the one before. */
function rowsOf(leaves: readonly Uint8Array[]): Uint8Array[][] {
  const rows: Uint8Array[][] = [];
  for (let row = [...leaves]; row.length > 0; ) {
    rows.push(row);
    row = Array.from({ length: row.length >>> 1 }, (_one, at) =>
      nodeHash(row[2 * at] as Uint8Array, row[2 * at + 1] as Uint8Array),
    );
  }
  return rows;
}
