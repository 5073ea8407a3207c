import type { BuildCache, RememberedSources, RememberedTree } from './build-cache.js';
import { sha256 } from './checksums.js';
import { stemOf } from './collect.js';
import type { TouchedPaths } from './inspect-tree.js';
import { PATHS } from './paths.js';
import { readIfThere } from './read-file.js';
import type { Entry } from './walk.js';
import type { KnownFolder } from './write.js';

/** A published tree of which a build knows what is in its files without reading them. */
export class KnownPublication implements KnownFolder {
  /** The list, and its records by id. They are those that were verified when the cache was written. */
  readonly list: Buffer;
  /** Whether the signature and the root key are those, too. */
  readonly signed: boolean;
  /** SHA-256 of the list, in hexadecimal. */
  readonly sha256: string;
  readonly records: ReadonlyMap<string, Uint8Array>;
  readonly rootKey: string;
  readonly tree: RememberedTree;
  /** The paths at which nothing is known. */
  readonly touched: TouchedPaths;

  private constructor(list: Buffer, { published, sources, tree }: BuildCache, touched: TouchedPaths) {
    this.list = list;
    this.signed = !touched.has(PATHS.signature) && !touched.has(PATHS.rootKey);
    this.sha256 = published.sha256;
    this.records = publishedRecords(list, sources);
    this.rootKey = published.rootKey;
    this.tree = tree;
    this.touched = touched;
  }

  /** What a cache tells of a tree; undefined when the tree has another list by now. */
  static open(out: string, cache: BuildCache, touched: TouchedPaths): KnownPublication | undefined {
    const list = readIfThere(out, PATHS.list);
    if (list === undefined || sha256(list) !== cache.published.sha256) return undefined;
    return new KnownPublication(list, cache, touched);
  }

  get entries(): Entry[] | undefined {
    if (this.touched.size > 0) return undefined;
    return this.tree.paths.map((path) =>
      path.endsWith('/') ? { path: path.slice(0, -1), kind: 'folder' } : { path, kind: 'file' },
    );
  }

  holds(path: string, bytes: Uint8Array): boolean {
    if (this.touched.has(path) || !path.startsWith(RECORDS)) return false;
    return this.records.get(path.slice(RECORDS.length)) === bytes;
  }
}

const RECORDS = PATHS.record('');

/**
 * The records of a published list by id, sorted by id, without parsing it: where each stands follows from how long those
 * before it are.
 *
 * @param list - the list that the sources were remembered with
 */
function publishedRecords(list: Uint8Array, sources: RememberedSources): Map<string, Uint8Array> {
  const lengths = sources.files.map((file, row): [string, number] => [
    stemOf(file),
    sources.lengths[row] as number,
  ]);
  lengths.sort(([a], [b]) => (a < b ? -1 : 1));
  const records = new Map<string, Uint8Array>();
  let start = '{"issuers":['.length;
  for (const [id, length] of lengths) {
    records.set(id, list.subarray(start, start + length));
    start += length + ','.length;
  }
  return records;
}
