import { isSameBytes } from '../bytes/encodings.js';
import { nodeHash, rangeRoot, type SubtreeHash, type TreeHead } from '../log/merkle.js';
import { TILE_HEIGHT, TILE_WIDTH, type TileAddress, tileWidth } from '../log/tiles.js';

/** A tile with its bytes. */
export interface Tile {
  readonly address: TileAddress;
  readonly bytes: Uint8Array;
}

/** The Merkle tree of a whole log in memory. Every tile and every earlier root follow from the hashes of the entries. */
export class LogTree {
  /** The hashes of all complete subtrees: of 2^n entries in row n. */
  readonly #rows: readonly (readonly Uint8Array[])[];
  /** The roots that were computed, by the number of entries. */
  readonly #roots = new Map<number, Promise<Uint8Array>>();

  /** @param leaves - the hashes of the entries, in order */
  constructor(leaves: readonly Uint8Array[]) {
    this.#rows = rowsOf(leaves);
  }

  /** The hashes of the entries, in order. */
  get leaves(): readonly Uint8Array[] {
    return this.#rows[0] ?? [];
  }

  /** The number of entries. */
  get size(): number {
    return this.leaves.length;
  }

  /** Returns whether the log begins with the log of a head, or is the same (rule log-tree). */
  async contains({ size, root }: TreeHead): Promise<boolean> {
    return size <= this.size && isSameBytes(await this.#rootOf(size), root);
  }

  /** Returns whether a head is the head of this log. */
  async isOf(head: TreeHead): Promise<boolean> {
    return head.size === this.size && this.contains(head);
  }

  /** Returns all tiles as wide as they are (rule log-tiles). */
  tiles(): readonly Tile[] {
    const levels = this.#rows.filter((_row, height) => height % TILE_HEIGHT === 0);
    return levels.flatMap((row, level) =>
      Array.from({ length: Math.ceil(row.length / TILE_WIDTH) }, (_one, index) => {
        const address = { level, index, width: tileWidth(level, index, this.size) };
        return { address, bytes: tileBytes(row, address) };
      }),
    );
  }

  /** Returns a tile, which may be narrower than it could be. Undefined if the tree has no such tile. */
  tile(address: TileAddress): Uint8Array | undefined {
    const row = this.#rows[address.level * TILE_HEIGHT] ?? [];
    return row.length < address.index * TILE_WIDTH + address.width ? undefined : tileBytes(row, address);
  }

  #rootOf(size: number): Promise<Uint8Array> {
    const root = this.#roots.get(size) ?? rangeRoot(0, size, this.#hash);
    this.#roots.set(size, root);
    return root;
  }

  readonly #hash: SubtreeHash = async (height, index) => this.#rows[height]?.[index] as Uint8Array;
}

function tileBytes(row: readonly Uint8Array[], { index, width }: TileAddress): Uint8Array {
  const first = index * TILE_WIDTH;
  const bytes = new Uint8Array(32 * width);
  for (const [at, hash] of row.slice(first, first + width).entries()) bytes.set(hash, 32 * at);
  return bytes;
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
