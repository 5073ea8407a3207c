import {
  bundlePath,
  forEachConcurrent,
  type IndexedEntry,
  isSameBytes,
  LogTree,
  leafHash,
  parseAnyEntry,
  parseBundle,
  type ReadFile,
  readTileOrBundle,
  TILE_WIDTH,
  type TileAddress,
  type TreeHead,
  tilePath,
  tileWidth,
} from '@passport-registry/verifier/core';
import { LOG_FOLDER } from './log-files.js';

/** The log of a tree on any host. */
export interface LogReader {
  readonly fetchFile: ReadFile;
  /**
   * Creates the error to throw if files are missing or damaged. The message is a predicate about the log.
   *
   * @param fault - what is wrong with the files
   */
  readonly invalid: (message: string, fault: LogFault) => Error;
}

/** How many entries are read from a host at once. They are kept in memory. */
export const MAX_READ_ENTRIES = 2 ** 18;

/** How many bytes of a log are read from a host at once: three times as many as those entries have. */
export const MAX_READ_BYTES = 384 * 2 ** 20;

/**
 * Limits how much is read from a host at once.
 *
 * @param count - the number of entries to read
 * @throws the error of the reader
 */
export function limitedReader({ fetchFile, invalid }: LogReader, count: number): LogReader {
  if (count > MAX_READ_ENTRIES)
    throw invalid(`has ${count} entries, too many to read from a host`, 'malformed');
  let bytesRead = 0;
  return {
    invalid,
    fetchFile: async (path) => {
      if (bytesRead > MAX_READ_BYTES) throw invalid('is too large to be read from a host', 'malformed');
      const bytes = await fetchFile(path);
      bytesRead += bytes?.length ?? 0;
      return bytes;
    },
  };
}

/** A file of a log is missing, has bytes that belong to no log, or can belong to another log than the one that is known. */
export type LogFault = 'missing' | 'malformed' | 'other';

const CONTRADICTION = 'does not contain the log that was read before';

/** How many tiles and bundles are read at a time. */
const CONCURRENCY = 8;

/**
 * Reads all entries of a log, or those that follow an older log, and verifies every tile and the root of the head. Entries
 * are parsed as they arrive, and the first malformed one ends the reading: a hostile log can be large.
 *
 * @param known - the hashes of the entries that are known already, from index 0. Default: none
 * @returns the new entries, in order
 * @throws the error of the reader
 */
export async function readEntries(
  reader: LogReader,
  head: TreeHead,
  known: readonly Uint8Array[] = [],
): Promise<ReadEntries> {
  const { invalid } = reader;
  if (head.size < known.length) throw invalid(CONTRADICTION, 'other');
  const first = Math.floor(known.length / TILE_WIDTH);
  const count = Math.ceil(head.size / TILE_WIDTH);
  const bundles: ReadEntry[][] = [];
  await forEachConcurrent(
    Array.from({ length: Math.max(0, count - first) }, (_one, at) => first + at),
    CONCURRENCY,
    async (index) => {
      const address = { level: 0, index, width: tileWidth(0, index, head.size) };
      bundles[index - first] = await readBundle(reader, address, known);
    },
  );
  const read = bundles.flat();
  const hashes = [...known.slice(0, first * TILE_WIDTH), ...read.map(({ hash }) => hash)];
  const tree = new LogTree(hashes);
  if (!(await tree.isOf(head))) {
    throw invalid('has entries that do not belong to its head', known.length > 0 ? 'other' : 'malformed');
  }
  const fresh = tree.tiles().filter(({ address }) => isNew(address, known.length));
  await forEachConcurrent(fresh, CONCURRENCY, ({ address, bytes }) => assertTile(reader, address, bytes));
  const entries = read.slice(known.length - first * TILE_WIDTH).map(({ index, entry }) => ({ index, entry }));
  return { entries, tree };
}

/** The new entries of a log, and the tree of all entries. */
interface ReadEntries {
  readonly entries: readonly IndexedEntry[];
  readonly tree: LogTree;
}

/** Whether a tile has hashes of new entries. */
function isNew({ level, index, width }: TileAddress, known: number): boolean {
  return (index * TILE_WIDTH + width) * TILE_WIDTH ** level > known;
}

/** An entry that was read, and its hash. */
interface ReadEntry extends IndexedEntry {
  readonly hash: Uint8Array;
}

async function readBundle(
  reader: LogReader,
  address: TileAddress,
  known: readonly Uint8Array[],
): Promise<ReadEntry[]> {
  const path = bundlePath(address);
  const { invalid } = reader;
  const malformed = (message: string) => invalid(message, 'malformed');
  const bytes = await requireTileOrBundle(reader, bundlePath, address);
  const entries = parseBundle(bytes, (message) => malformed(`has a file ${path} that ${message}`));
  if (entries.length < address.width) throw malformed(`has a file ${path} that is too short`);
  return entries.slice(0, address.width).map((bytes, at) => {
    const index = address.index * TILE_WIDTH + at;
    const entry = parseAnyEntry(bytes, (message) => malformed(`has an entry ${index} that ${message}`));
    const hash = leafHash(bytes);
    if (!isSameBytes(hash, known[index] ?? hash)) {
      throw invalid(CONTRADICTION, 'other');
    }
    return { index, entry, hash };
  });
}

async function assertTile(reader: LogReader, address: TileAddress, expected: Uint8Array): Promise<void> {
  const found = await requireTileOrBundle(reader, tilePath, address);
  if (Buffer.compare(found.subarray(0, expected.length), expected) === 0) return;
  throw reader.invalid(`has a tile ${tilePath(address)} that does not belong to its entries`, 'malformed');
}

async function requireTileOrBundle(
  { fetchFile, invalid }: LogReader,
  pathOf: (address: TileAddress) => string,
  address: TileAddress,
): Promise<Uint8Array> {
  const bytes = await readTileOrBundle(fetchFile, pathOf, address);
  if (bytes === undefined) throw invalid(`lacks the file ${LOG_FOLDER}${pathOf(address)}`, 'missing');
  return bytes;
}
