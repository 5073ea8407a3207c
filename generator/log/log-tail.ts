import { type PlacedEntry, parseAnyEntry, TILE_WIDTH, tileWidth } from '@passport-registry/verifier/core';
import { damagedLog, type ReadFile, readBundle } from './log-files.js';

/**
 * Returns the newest entries of a log, newest first, down to the entry of the published statement. The entries after
 * that one belong to a publication that has not been completed.
 *
 * @param published - SHA-256 of the published statement; undefined if the tree has none that names the log
 * @throws {@link TreeRejected} if the log does not contain the statement
 */
export function entriesSince(read: ReadFile, size: number, published: string | undefined): PlacedEntry[] {
  const found: PlacedEntry[] = [];
  for (const placed of newestPlaced(read, size)) {
    found.push(placed);
    if (placed.entry.sha256 === published) return found;
  }
  if (published === undefined) return found;
  throw damagedLog('does not contain the publication statement of the tree');
}

/** Returns the entries of a log, newest first. Reads one bundle at a time. @throws {@link TreeRejected} */
export function* newestPlaced(read: ReadFile, size: number): Generator<PlacedEntry> {
  for (let bundle = Math.ceil(size / TILE_WIDTH) - 1; bundle >= 0; bundle--) {
    const entries = readBundle(read, { index: bundle, width: tileWidth(0, bundle, size) });
    for (const [at, bytes] of [...entries.entries()].reverse()) {
      const index = bundle * TILE_WIDTH + at;
      const invalid = (message: string) => damagedLog(`has an entry ${index} that ${message}`);
      yield { index, entry: parseAnyEntry(bytes, invalid) };
    }
  }
}
