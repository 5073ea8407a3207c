import type { RememberedSources } from './build-cache.js';
import { rowsOf } from './check-files.js';
import { type CheckOptions, checkRecords } from './check-records.js';
import { type FoundFiles, noRecords, shownPath, stemOf } from './collect.js';
import { byPlace } from './diagnostic.js';
import { RecordsRejected } from './errors.js';
import { digestAt, type Recalled } from './recall.js';
import { Stamps } from './stamps.js';

/** The records that a build publishes. */
export interface BuildRecords {
  /** Their canonical bytes by id, sorted by id. */
  readonly records: ReadonlyMap<string, Uint8Array>;
  /** What to remember of their files. */
  readonly sources: RememberedSources;
}

/** What a build knows of records without reading their files. */
export interface KnownRecords {
  readonly recalled: Recalled;
  /** The files to which its rows lead. */
  readonly sources: RememberedSources;
  /** The canonical bytes of their records, by id. */
  readonly records: ReadonlyMap<string, Uint8Array>;
}

/**
 * Checks the record files of a build, and reads no more of them than it must.
 *
 * @param issuers - what to call the folder in messages
 * @throws {@link RecordsRejected}
 */
export async function buildRecords(
  issuers: string,
  found: FoundFiles,
  options: Omit<CheckOptions, 'isKnown'>,
  known?: KnownRecords,
): Promise<BuildRecords> {
  const { files } = found;
  const rowOf = (index: number) => known?.recalled.rows[index] ?? -1;
  const { checked, diagnostics: checking } = await checkRecords(found, {
    ...options,
    isKnown: (index) => rowOf(index) >= 0,
  });
  const recalled = new Set(files.filter((_file, index) => rowOf(index) >= 0).map(shownPath));
  const remembered = known?.sources.warnings.filter(({ file }) => recalled.has(file)) ?? [];
  const diagnostics =
    files.length === 0 ? [noRecords([issuers])] : [...checking, ...remembered].sort(byPlace);
  if (diagnostics.some(({ severity }) => severity === 'error')) throw new RecordsRejected(diagnostics);

  const stamps = new Stamps(files.length);
  const digests: string[] = [];
  const lengths = new Uint32Array(files.length);
  const rows = rowsOf(checked);
  const records = files.map((file, index): [string, Uint8Array] => {
    const id = stemOf(file);
    const row = rowOf(index);
    const bytes = known?.records.get(id);
    if (row >= 0 && known !== undefined && bytes !== undefined) {
      stamps.copy(index, known.recalled.stamps, index);
      digests.push(digestAt(known.sources, row));
      lengths[index] = bytes.length;
      return [id, bytes];
    }
    const next = rows.next().value;
    if (next === undefined) throw new Error(`${file} has not been checked`);
    stamps.copy(index, next.stamps, next.row);
    digests.push(next.digest);
    lengths[index] = next.record.length;
    return [id, next.record];
  });
  records.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    records: new Map(records),
    sources: { files, stamps, digests: digests.join(''), lengths, warnings: diagnostics },
  };
}
