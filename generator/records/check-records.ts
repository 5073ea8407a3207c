import type { Issuer } from '@passport-registry/verifier';
import { byPlace, type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import { RecordsRejected } from '../errors.js';
import type { OnProgress } from '../progress.js';
import { type Collected, collectRecordFiles } from './collect.js';
import { conform } from './conform.js';
import { checkIds, type NamedRecord } from './ids.js';
import { parseRecordFile } from './yaml/parse.js';
import type { RecordFile } from './yaml/record-file.js';

/** Records that have been checked, by issuer_id. */
export interface RecordSet {
  /** The records without an error. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  /** The files that the records stand in; none for a published list. */
  readonly files: ReadonlyMap<string, RecordFile>;
  /** All problems and warnings of all files, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
}

/** The records of a list that is published or to be published: they stand in no files, and nothing is wrong with them. */
export function recordsOfList(issuers: readonly Issuer[]): RecordSet {
  return { issuers: byId(issuers), files: new Map(), diagnostics: [] };
}

/** Issuers by their ids. */
export function byId(issuers: readonly Issuer[]): Map<string, Issuer> {
  return new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
}

/**
 * The records of a folder, where there is no error in any of them.
 *
 * @param outcome - what does not happen otherwise, in words
 * @throws {@link RecordsRejected} | {@link UsageError} | {@link IoFailed}
 */
export function goodRecords(folder: string, onProgress?: OnProgress, outcome?: string): RecordSet {
  const records = checkRecords(collectRecordFiles([folder]), onProgress);
  if (records.diagnostics.some(isError)) throw new RecordsRejected(records.diagnostics, outcome);
  return records;
}

/** Checks records, each by itself and all against each other. */
export function checkRecords({ files, diagnostics }: Collected, onProgress?: OnProgress): RecordSet {
  const issuers = new Map<string, Issuer>();
  const byStem = new Map<string, RecordFile>();
  const found = [...diagnostics];
  const named: NamedRecord[] = [];
  for (const [index, record] of files.entries()) {
    onProgress?.('checking', index, files.length);
    const parsed = parseRecordFile(record);
    const conformed = conform(parsed);
    found.push(...conformed.diagnostics);
    byStem.set(record.stem, record);
    if (conformed.record !== undefined) issuers.set(record.stem, conformed.record);
    const id = idOf(parsed.value);
    if (id === undefined) continue;
    // Few ids are ever asked for their place, and a parsed file is larger than its text.
    named.push({ file: record.file, stem: record.stem, id, parsed: () => parseRecordFile(record) });
  }
  found.push(...checkIds(named));
  return { issuers, files: byStem, diagnostics: found.sort(byPlace) };
}

/** The issuer_id in a record, good or not. */
function idOf(value: unknown): string | undefined {
  const id = (value as { issuer_id?: unknown } | null | undefined)?.issuer_id;
  return typeof id === 'string' ? id : undefined;
}
