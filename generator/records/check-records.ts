import type { Issuer } from '@passport-registry/verifier';
import type { AboutIssuer, AboutIssuers } from '@passport-registry/verifier/core';
import {
  byPlace,
  type Diagnostic,
  diagnostic,
  type Finding,
  isError,
  WHOLE_FILE,
} from '../diagnostics/diagnostic.js';
import { RecordsRejected } from '../errors.js';
import type { OnProgress } from '../progress.js';
import { type Collected, collectRecordFiles, type RecordFile } from './collect.js';
import { conform } from './conform.js';
import { checkIds, checkNames, type NamedRecord } from './ids.js';
import { fieldDiagnostic, parseRecordFile } from './yaml/parse.js';

/** Checked records, by issuer_id. */
export interface RecordSet {
  /** The records without errors. */
  readonly issuers: ReadonlyMap<string, Issuer>;
  /** The files that contain the records. Empty for a published list. */
  readonly files: ReadonlyMap<string, RecordFile>;
  /** The errors and warnings of all files, sorted by file and position. */
  readonly diagnostics: readonly Diagnostic[];
  /** The names and reasons of the issuers. Undefined if they are not known, as for a list on its own. */
  readonly about: AboutIssuers | undefined;
}

/** Checked records whose names and reasons are known. */
export interface CompleteRecords extends RecordSet {
  readonly about: AboutIssuers;
}

/** Wraps the records of a list. Such records come from no file, and they have already been checked. */
export function recordsOfList(issuers: readonly Issuer[], about?: AboutIssuers): RecordSet {
  const byId = new Map(issuers.map((issuer) => [issuer.issuer_id, issuer]));
  return { issuers: byId, files: new Map(), diagnostics: [], about };
}

/**
 * Reads the records of a folder, and throws if any record has an error.
 *
 * @param outcome - the consequence of an error, for the end of the message
 * @throws {@link RecordsRejected} | {@link UsageError} | {@link IoFailed}
 */
export function goodRecords(folder: string, onProgress?: OnProgress, outcome?: string): CompleteRecords {
  const records = checkRecords(collectRecordFiles([folder]), onProgress);
  if (records.diagnostics.some(isError)) throw new RecordsRejected(records.diagnostics, outcome);
  return records;
}

/** The records of some files and folders, with their errors and warnings. */
export interface LoadedRecords {
  /** The valid records, sorted by issuer_id. Incomplete if `diagnostics` contains an error. */
  readonly records: readonly Issuer[];
  /** The names and reasons of the valid records, by issuer_id. The list does not contain them. */
  readonly about: AboutIssuers;
  /** The number of record files, valid or not. */
  readonly files: number;
  /** The errors and warnings of all files, sorted by file and position. */
  readonly diagnostics: readonly Diagnostic[];
  /** Whether `diagnostics` contains no error. Warnings do not count. */
  readonly ok: boolean;
}

/**
 * Loads and checks records, as `passport-registry check` does, but for their layout.
 *
 * @param paths - files and folders; a folder is searched recursively for *.yaml and *.yml
 * @param onProgress - called with the number of files checked so far
 * @throws {@link UsageError} if a path does not exist
 *
 * @example
 * ```ts
 * import { loadRecords } from 'passport-registry';
 *
 * const { records, diagnostics, ok } = await loadRecords(['issuers']);
 * for (const { file, line, column, rule, message } of diagnostics) {
 *   console.log(`${file}:${line}:${column} ${rule}: ${message}`);
 * }
 * if (ok) console.log(records.length);
 * ```
 */
export async function loadRecords(paths: readonly string[], onProgress?: OnProgress): Promise<LoadedRecords> {
  const collected = collectRecordFiles(paths);
  const { issuers, diagnostics, about } = checkRecords(collected, onProgress);
  return {
    records: [...issuers.values()].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
    about,
    files: collected.found,
    diagnostics,
    ok: !diagnostics.some(isError),
  };
}

/** Checks each record on its own, then the ids of all records against each other. */
export function checkRecords({ files, diagnostics }: Collected, onProgress?: OnProgress): CompleteRecords {
  const issuers = new Map<string, Issuer>();
  const about = new Map<string, AboutIssuer>();
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
    if (conformed.about !== undefined) about.set(record.stem, conformed.about);
    const id = idOf(parsed.value);
    if (id !== undefined) named.push({ record, id, name: conformed.about?.name });
  }
  found.push(...checkIds(named), ...checkNames(named));
  return { issuers, files: byStem, diagnostics: found.sort(byPlace), about };
}

/** The issuer_id of a record, valid or not. */
function idOf(value: unknown): string | undefined {
  const id = (value as { issuer_id?: unknown } | null | undefined)?.issuer_id;
  return typeof id === 'string' ? id : undefined;
}

/**
 * Creates the diagnostic for a finding at a field of a record. A record of a published list has no file, so the
 * diagnostic names the issuer_id instead.
 */
export function recordDiagnostic(
  { files }: RecordSet,
  { id, field }: { readonly id: string; readonly field: keyof Issuer | keyof AboutIssuer },
  finding: Finding,
): Diagnostic {
  const file = files.get(id);
  return file === undefined ? diagnostic(id, WHOLE_FILE, finding) : fieldDiagnostic(file, field, finding);
}
