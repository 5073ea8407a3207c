import {
  bundlePath,
  formatBundle,
  hashesOf,
  leafHash,
  subtreeRoot,
  TILE_WIDTH,
  tilePath,
} from '@passport-registry/verifier/core';
import { LOG_FOLDER, type LogEnd } from './log-files.js';

/** The last tile of a level, while entries are added. */
interface Row {
  index: number;
  hashes: Uint8Array[];
  /** The width of the tile that exists already. */
  written: number;
}

/**
 * Adds entries to a log. Besides each full tile and bundle, the result has a partial one for every size, as if the entries
 * had been added one by one. So the files of a log depend only on its entries.
 *
 * @returns the new end, and the new tiles and bundles, by path
 */
export function appendEntries(
  end: LogEnd,
  entries: readonly Uint8Array[],
): { readonly end: LogEnd; readonly files: ReadonlyMap<string, Uint8Array> } {
  const files = new Map<string, Uint8Array>();
  const rows: Row[] = end.tiles.map(({ address: { index, width }, bytes }) => ({
    index,
    hashes: hashesOf(bytes),
    written: width,
  }));
  const push = (level: number, hash: Uint8Array) => {
    const row = nextRow(rows[level]);
    rows[level] = row;
    row.hashes.push(hash);
    if (row.hashes.length < TILE_WIDTH) return;
    const address = { level, index: row.index, width: TILE_WIDTH };
    files.set(`${LOG_FOLDER}${tilePath(address)}`, Buffer.concat(row.hashes));
    push(level + 1, subtreeRoot(row.hashes, 0, TILE_WIDTH));
  };
  let bundle = [...end.bundle];
  for (const entry of entries) {
    if (bundle.length === TILE_WIDTH) bundle = [];
    push(0, leafHash(entry));
    bundle.push(entry);
    const { index } = rows[0] as Row;
    if (bundle.length === TILE_WIDTH) {
      files.set(`${LOG_FOLDER}${bundlePath({ index, width: TILE_WIDTH })}`, formatBundle(bundle));
    }
  }
  const tiles = rows.map(({ index, hashes }, level) => ({
    address: { level, index, width: hashes.length },
    bytes: Buffer.concat(hashes),
  }));
  const bundled = formatBundle(bundle);
  const ends = bundleEnds(bundle);
  // A narrow tile or bundle is the beginning of a wider one.
  for (const [level, { address, bytes }] of tiles.entries()) {
    for (const width of newWidths(rows[level] as Row)) {
      files.set(`${LOG_FOLDER}${tilePath({ ...address, width })}`, bytes.subarray(0, 32 * width));
      if (level > 0) continue;
      files.set(`${LOG_FOLDER}${bundlePath({ ...address, width })}`, bundled.subarray(0, ends[width - 1]));
    }
  }
  return { end: { size: end.size + entries.length, tiles, bundle }, files };
}

/** Returns where each entry of a bundle ends. */
function bundleEnds(entries: readonly Uint8Array[]): number[] {
  let end = 0;
  return entries.map(({ length }) => {
    end += 2 + length;
    return end;
  });
}

/** Returns the row to add to: a new one after a full one. */
function nextRow(row: Row | undefined): Row {
  if (row === undefined) return { index: 0, hashes: [], written: 0 };
  return row.hashes.length < TILE_WIDTH ? row : { index: row.index + 1, hashes: [], written: 0 };
}

/** Returns the widths of the partial tiles that do not exist yet. */
function newWidths({ hashes, written }: Row): number[] {
  const isFull = hashes.length === TILE_WIDTH;
  return isFull ? [] : Array.from({ length: hashes.length - written }, (_one, at) => written + 1 + at);
}

/**
 * Returns the folders of partial tiles and bundles that a full one has replaced: those before the last tile of each level,
 * and of the last tile if it is full.
 */
export function replacedFolders({ tiles }: LogEnd): string[] {
  return tiles.flatMap(({ address: { level, index, width } }) => {
    const full = width === TILE_WIDTH ? index : index - 1;
    if (full < 0) return [];
    const address = { level, index: full, width: TILE_WIDTH };
    const paths = [tilePath(address), ...(level === 0 ? [bundlePath(address)] : [])];
    return paths.map((path) => `${LOG_FOLDER}${path}.p`);
  });
}
