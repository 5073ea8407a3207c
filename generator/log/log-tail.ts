import { type PlacedEntry, parseAnyEntry } from '@passport-registry/verifier/internal';
import { damagedLog, newestEntries, type ReadFile } from './log-files.js';

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

/** Returns the entries of a log after an index, newest first. @throws {@link TreeRejected} */
export function entriesAfter(read: ReadFile, size: number, index: number): PlacedEntry[] {
  const found: PlacedEntry[] = [];
  for (const placed of newestPlaced(read, size)) {
    if (placed.index <= index) break;
    found.push(placed);
  }
  return found;
}

function* newestPlaced(read: ReadFile, size: number): Generator<PlacedEntry> {
  for (const { index, bytes } of newestEntries(read, size)) {
    const entry = parseAnyEntry(bytes, (message) => damagedLog(`has an entry ${index} that ${message}`));
    yield { index, entry };
  }
}
