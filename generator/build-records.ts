import { digestAt, type RememberedSources } from './build-cache.js';
import { type CheckedRow, rowsOf } from './check-files.js';
import { type CheckOptions, checkRecords } from './check-records.js';
import { type FoundFiles, noRecords, shownPath, stemOf } from './collect.js';
import { byPlace, type Diagnostic } from './diagnostic.js';
import { RecordsRejected } from './errors.js';
import type { Recalled } from './recall.js';
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
  const rowOf = (index: number) => known?.recalled.rows[index] ?? NOT_KNOWN;
  const isKnown = (index: number) => rowOf(index) !== NOT_KNOWN;
  const { checked, diagnostics: checking } = await checkRecords(found, { ...options, isKnown });
  const remembered = known === undefined ? [] : rememberedWarnings(files, isKnown, known.sources.warnings);
  const warnings = files.length === 0 ? [noRecords([issuers])] : [...checking, ...remembered].sort(byPlace);
  if (warnings.some(({ severity }) => severity === 'error')) throw new RecordsRejected(warnings);

  const stamps = new Stamps(files.length);
  const digests: string[] = [];
  const lengths = new Uint32Array(files.length);
  const rows = rowsOf(checked);
  const records = files.map((file, index): [string, Uint8Array] => {
    const id = stemOf(file);
    const one = known && isKnown(index) ? knownRow(known, id, index) : rows.next().value;
    // Should rows and files not fit together, nothing may be published.
    if (one?.id !== id) throw new Error(`${file} has not been checked`);
    stamps.copy(index, one.stamps, one.row);
    digests.push(one.digest);
    lengths[index] = one.record.length;
    return [id, one.record];
  });
  records.sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    records: new Map(records),
    sources: { files, stamps, digests: digests.join(''), lengths, warnings },
  };
}

/** The row of a file that must be read. */
const NOT_KNOWN = -1;

function knownRow(
  { recalled, sources, records }: KnownRecords,
  id: string,
  index: number,
): CheckedRow | undefined {
  const record = records.get(id);
  const digest = digestAt(sources, recalled.rows[index] as number);
  return record && { id, record, digest, stamps: recalled.stamps, row: index };
}

function rememberedWarnings(
  files: readonly string[],
  isKnown: (index: number) => boolean,
  warnings: readonly Diagnostic[],
): Diagnostic[] {
  if (warnings.length === 0) return [];
  const known = new Set(files.filter((_file, index) => isKnown(index)).map(shownPath));
  return warnings.filter(({ file }) => known.has(file));
}
