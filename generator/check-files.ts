import type { Stats } from 'node:fs';
import { sha256 } from './checksums.js';
import { type FoundFiles, readRecordFile, recordFile } from './collect.js';
import { conform } from './conform.js';
import type { Diagnostic } from './diagnostic.js';
import { recordBytes } from './list.js';
import { parseRecordFile } from './parse.js';
import { Stamps } from './stamps.js';

/** Record files that have been checked, each by itself: one row a file, in a form that threads can hand to each other. */
export interface CheckedFiles {
  /** Which file of all that were to be checked is the first. */
  readonly from: number;
  /** The issuer_id as written, good or not; undefined where there is none. */
  readonly ids: readonly (string | undefined)[];
  /** The numbers of their stamps. */
  readonly stamps: Float64Array;
  /** SHA-256 of what is in them, in hexadecimal; empty for one that could not be read. */
  readonly digests: readonly string[];
  /** How long their canonical records are, in bytes; 0 where there is an error. */
  readonly lengths: readonly number[];
  /** The canonical records, one right after the other. */
  readonly records: Uint8Array;
  readonly diagnostics: readonly Diagnostic[];
}

/** Files that are taken at a time: few enough that no thread waits long for the last one. */
const BATCH = 500;

/** How many batches so many files make. */
export function batchesOf(files: number): number {
  return Math.ceil(files / BATCH);
}

/**
 * Checks files, a batch at a time, until none is left.
 *
 * @param taken - how many batches have been taken, by all threads that share the work
 * @param onBatch - told how many files have been taken
 */
export function checkBatches(
  found: FoundFiles,
  taken: Int32Array,
  onBatch?: (done: number) => void,
): CheckedFiles[] {
  const checked: CheckedFiles[] = [];
  for (;;) {
    const from = Atomics.add(taken, 0, 1) * BATCH;
    if (from >= found.files.length) return checked;
    onBatch?.(from);
    checked.push(checkFiles(found, from, Math.min(from + BATCH, found.files.length)));
  }
}

function checkFiles({ files, links }: FoundFiles, from: number, to: number): CheckedFiles {
  const stamps = new Stamps(to - from);
  const ids: (string | undefined)[] = [];
  const digests: string[] = [];
  const records: Uint8Array[] = [];
  const diagnostics: Diagnostic[] = [];
  for (const [row, file] of files.slice(from, to).entries()) {
    const { id, digest, record, found } = checkFile(file, links.get(file), (stats) => stamps.set(row, stats));
    ids.push(id);
    digests.push(digest);
    records.push(record);
    diagnostics.push(...found);
  }
  const lengths = records.map(({ length }) => length);
  return {
    from,
    ids,
    stamps: stamps.numbers,
    digests,
    lengths,
    records: Buffer.concat(records),
    diagnostics,
  };
}

interface CheckedFile {
  readonly id: string | undefined;
  readonly digest: string;
  /** Its canonical bytes; none where there is an error. */
  readonly record: Uint8Array;
  readonly found: readonly Diagnostic[];
}

function checkFile(file: string, root: string | undefined, onRead: (before: Stats) => void): CheckedFile {
  const nothing = { id: undefined, digest: '', record: new Uint8Array() };
  const read = readRecordFile(file, root);
  if (!('bytes' in read)) return { ...nothing, found: [read] };
  onRead(read.stats);
  const text = recordFile(file, read.bytes);
  if (!('text' in text)) return { ...nothing, found: [text] };
  const parsed = parseRecordFile(text);
  const { record, diagnostics } = conform(parsed);
  return {
    id: idOf(parsed.value),
    digest: sha256(read.bytes),
    record: record === undefined ? nothing.record : recordBytes(record),
    found: diagnostics,
  };
}

/** The issuer_id in a record, good or not. */
export function idOf(value: unknown): string | undefined {
  const id = (value as { issuer_id?: unknown } | null | undefined)?.issuer_id;
  return typeof id === 'string' ? id : undefined;
}

/** A row of checked files. */
export interface CheckedRow extends Pick<CheckedFile, 'id' | 'digest' | 'record'> {
  /** Where its stamp is noted. */
  readonly stamps: Stamps;
  readonly row: number;
}

/** The rows of checked files, one after the other. */
export function* rowsOf(checked: readonly CheckedFiles[]): Generator<CheckedRow, undefined> {
  for (const { ids, digests, lengths, records, stamps: numbers } of checked) {
    const stamps = new Stamps(numbers);
    let start = 0;
    for (const [row, id] of ids.entries()) {
      const end = start + (lengths[row] as number);
      yield { id, digest: digests[row] as string, record: records.subarray(start, end), stamps, row };
      start = end;
    }
  }
}
