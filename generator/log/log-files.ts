import { hash } from 'node:crypto';
import {
  bundlePath,
  hashesFromTiles,
  hashesOf,
  type IndexedEntry,
  isSameBytes,
  lastTiles,
  parseAnyEntry,
  parseBundle,
  parseHead,
  rangeRoot,
  type SignedHead,
  type SubtreeHash,
  signerAmong,
  TILE_WIDTH,
  type Tile,
  type TileAddress,
  tilePath,
  tileReader,
  tileWidth,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';

/** Reads a file of a tree. Undefined if there is no such file. */
export type ReadFileSync = (path: string) => Uint8Array | undefined;

/** The folder of the log in a tree (rule log-files). */
export const LOG_FOLDER = 'log/';
/** The newest head of the log, signed by the key of the log. */
export const LOG_HEAD_PATH = `${LOG_FOLDER}checkpoint`;

/**
 * Returns the path of the newest head of a log that a witness has cosigned, below the URL of its service (C2SP tlog-witness).
 */
export function cosignedHeadPath(origin: string): string {
  return `${hash('sha256', origin)}/checkpoint`;
}

/** The error for the publisher whose own log is damaged. @param message - a predicate, such as "lacks a tile" */
export const damagedLog = (message: string) =>
  new TreeRejected(`the log ${message}: load the published tree with \`load\``);

/** Reads the head of a log, whose signatures are not verified. @returns undefined if the tree has no log */
export function readLogHead(read: ReadFileSync): SignedHead | undefined {
  const bytes = read(LOG_HEAD_PATH);
  return bytes && parseHead(bytes, (message) => damagedLog(`has a head that ${message}`));
}

/** Formats the size of a log in words. */
export function countEntries(size: number): string {
  return size === 1 ? '1 entry' : `${size} entries`;
}

/** The end of a log, which is all that is needed to add entries. */
export interface LogEnd {
  readonly size: number;
  /** The last tile of each level, from level 0 up. */
  readonly tiles: readonly Tile[];
  /** The entries of the last bundle. */
  readonly bundle: readonly Uint8Array[];
}

/** The end of a log without entries. */
export const EMPTY_LOG: LogEnd = { size: 0, tiles: [], bundle: [] };

/**
 * Reads the end of a log, and verifies that it belongs to the head. The cost does not depend on the size of the log.
 *
 * @param vkeys - the keys of the log. One of them must have signed the head
 * @throws {@link TreeRejected}
 */
export async function readLogEnd(
  read: ReadFileSync,
  head: SignedHead,
  vkeys: readonly string[],
): Promise<LogEnd> {
  if ((await signerAmong(head, vkeys)) === undefined)
    throw damagedLog('has a head that is not signed by the key of the log');
  const { size } = head;
  const tiles = lastTiles(size).map((address) => ({ address, bytes: readTile(read, address) }));
  const bundle = tiles[0] === undefined ? [] : readBundle(read, tiles[0].address);
  const end = { size, tiles, bundle };
  if (!isSameBytes(await rootOf(end), head.root))
    throw damagedLog('has tiles that do not belong to its head');
  return end;
}

/** Returns the hashes of the complete subtrees of a log, from its tiles. Nothing proves them. */
export function hashesIn(read: ReadFileSync, size: number): SubtreeHash {
  return hashesFromTiles(
    size,
    tileReader(async (path) => read(path)),
  );
}

/** Returns the root of a log. */
export function rootOf({ size, tiles }: LogEnd): Promise<Uint8Array> {
  const read = async ({ level }: TileAddress) => (tiles[level] as Tile).bytes;
  return rangeRoot(0, size, hashesFromTiles(size, read));
}

function readTile(read: ReadFileSync, address: TileAddress): Uint8Array {
  const bytes = readTileOrBundle(read, tilePath, address);
  if (bytes.length < address.width * 32)
    throw damagedLog(`has a file ${tilePath(address)} that is too short`);
  return bytes.subarray(0, address.width * 32);
}

/** Reads the entries of a bundle, and compares them with the tile of their hashes. @throws {@link TreeRejected} */
function readBundle(read: ReadFileSync, address: Omit<TileAddress, 'level'>): Uint8Array[] {
  const path = bundlePath(address);
  const bytes = readTileOrBundle(read, bundlePath, { ...address, level: 0 });
  const entries = parseBundle(bytes, (message) => damagedLog(`has a file ${path} that ${message}`));
  const hashes = hashesOf(readTile(read, { ...address, level: 0 }));
  const isSame = hashes.every((leaf, at) => isSameBytes(leaf, leafHash(entries[at] ?? new Uint8Array())));
  if (entries.length < address.width || !isSame) {
    throw damagedLog(`has a file ${path} that does not belong to its tile`);
  }
  return entries.slice(0, address.width);
}

/** Returns the hash of a leaf (RFC 6962, section 2.1). A build hashes whole bundles, for which Node.js takes a third of the time. */
const leafHash = (entry: Uint8Array) => hash('sha256', Buffer.concat([LEAF_PREFIX, entry]), 'buffer');
const LEAF_PREFIX = Uint8Array.of(0x00);

/** Reads a tile or a bundle. A full one replaces its partial ones (C2SP tlog-tiles). */
function readTileOrBundle(
  read: ReadFileSync,
  pathOf: (address: TileAddress) => string,
  address: TileAddress,
): Uint8Array {
  const path = `${LOG_FOLDER}${pathOf(address)}`;
  const bytes = read(path) ?? read(`${LOG_FOLDER}${pathOf({ ...address, width: TILE_WIDTH })}`);
  if (bytes === undefined) throw damagedLog(`lacks the file ${path}`);
  return bytes;
}

/** Returns the entries of a log, newest first. Reads one bundle at a time. @throws {@link TreeRejected} */
export function* newestEntries(read: ReadFileSync, size: number): Generator<IndexedEntry> {
  for (let bundle = Math.ceil(size / TILE_WIDTH) - 1; bundle >= 0; bundle--) {
    const entries = readBundle(read, { index: bundle, width: tileWidth(0, bundle, size) });
    for (const [at, bytes] of [...entries.entries()].reverse()) {
      const index = bundle * TILE_WIDTH + at;
      const invalid = (message: string) => damagedLog(`has an entry ${index} that ${message}`);
      yield { index, entry: parseAnyEntry(bytes, invalid) };
    }
  }
}
