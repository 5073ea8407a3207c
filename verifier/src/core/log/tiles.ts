import { nodeHash, type SubtreeHash } from './merkle.js';

/** How many hashes a full tile has, and how many entries a full bundle (C2SP tlog-tiles). */
export const TILE_WIDTH = 256;
/** The number of rows of the tree that a tile stands for: 2^8 is {@link TILE_WIDTH}. */
export const TILE_HEIGHT = 8;
const HASH_BYTES = 32;

/** A tile by its address: the level, the index within the level, and the number of its hashes. */
export interface TileAddress {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/** Returns the path of a tile below the log, such as `tile/0/x001/234.p/5`. */
export function tilePath({ level, index, width }: TileAddress): string {
  return `tile/${level}/${indexPath(index, width)}`;
}

/** Returns the path of a bundle of entries below the log, such as `tile/entries/000.p/5`. */
export function bundlePath({ index, width }: Omit<TileAddress, 'level'>): string {
  return `tile/entries/${indexPath(index, width)}`;
}

function indexPath(index: number, width: number): string {
  const groups =
    String(index)
      .padStart(Math.ceil(String(index).length / 3) * 3, '0')
      .match(/.{3}/g) ?? [];
  const path = groups.map((group, at) => (at === groups.length - 1 ? group : `x${group}`)).join('/');
  return width === TILE_WIDTH ? path : `${path}.p/${width}`;
}

/** Returns how many hashes a tile has in a tree; 0 if there is no such tile. */
export function tileWidth(level: number, index: number, size: number): number {
  const atLevel = Math.floor(size / TILE_WIDTH ** level);
  return Math.max(0, Math.min(TILE_WIDTH, atLevel - index * TILE_WIDTH));
}

/** Returns the last tile of each level of a tree, from level 0 up. With them, entries can be added. */
export function lastTiles(size: number): TileAddress[] {
  const addresses: TileAddress[] = [];
  for (let level = 0; TILE_WIDTH ** level <= size; level++) {
    const count = Math.floor(size / TILE_WIDTH ** level);
    const index = Math.floor((count - 1) / TILE_WIDTH);
    addresses.push({ level, index, width: tileWidth(level, index, size) });
  }
  return addresses;
}

/** Reads a tile. The result has at least `width` hashes. */
export type ReadTile = (address: TileAddress) => Promise<Uint8Array>;

/**
 * Returns the hashes of complete subtrees, from the tiles of a tree. Each tile is read once. Nothing proves the hashes:
 * the caller verifies what it computes from them.
 */
export function hashesFromTiles(size: number, read: ReadTile): SubtreeHash {
  const tiles = new Map<string, Promise<Uint8Array>>();
  const tile = (level: number, index: number) => {
    const key = `${level}/${index}`;
    const found = tiles.get(key) ?? read({ level, index, width: tileWidth(level, index, size) });
    tiles.set(key, found);
    return found;
  };
  return async (level, index) => {
    const row = Math.floor(level / TILE_HEIGHT);
    const count = 2 ** (level % TILE_HEIGHT);
    const first = index * count;
    const bytes = await tile(row, Math.floor(first / TILE_WIDTH));
    return subtreeRoot(hashesOf(bytes), first % TILE_WIDTH, count);
  };
}

/** Splits the bytes of a tile into its hashes. */
export function hashesOf(tile: Uint8Array): Uint8Array[] {
  const hashes: Uint8Array[] = [];
  for (let at = 0; at < tile.length; at += HASH_BYTES) hashes.push(tile.subarray(at, at + HASH_BYTES));
  return hashes;
}

/** Returns the root over a number of hashes that is a power of two. */
export function subtreeRoot(hashes: readonly Uint8Array[], start: number, count: number): Uint8Array {
  let row = hashes.slice(start, start + count);
  if (row.length !== count) throw new RangeError('the tile is too short');
  while (row.length > 1) {
    row = row.flatMap((hash, at) => (at % 2 === 0 ? [nodeHash(hash, row[at + 1] as Uint8Array)] : []));
  }
  return row[0] as Uint8Array;
}
