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
import { type Collected, collectRecordFiles } from './collect.js';
import { conform } from './conform.js';
import { checkIds, checkNames, type NamedRecord } from './ids.js';
import { parseRecordFile } from './yaml/parse.js';
import type { RecordFile } from './yaml/record-file.js';

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
    if (id === undefined) continue;
    // Few positions are needed, and a parsed file takes more memory than its text, so `parsed` parses the file again.
    named.push({
      file: record.file,
      stem: record.stem,
      id,
      name: conformed.about?.name,
      parsed: () => parseRecordFile(record),
    });
  }
  found.push(...checkIds(named), ...checkNames(named));
  return { issuers, files: byStem, diagnostics: found.sort(byPlace), about };
}

/** The issuer_id of a record, valid or not. */
function idOf(value: unknown): string | undefined {
  const id = (value as { issuer_id?: unknown } | null | undefined)?.issuer_id;
  return typeof id === 'string' ? id : undefined;
}

/** A field of a record. */
interface RecordField {
  readonly id: string;
  readonly field: keyof Issuer;
}

/**
 * Creates the diagnostic for a finding at a field of a record. A record of a published list has no file, so the
 * diagnostic names the issuer_id instead.
 */
export function recordDiagnostic(
  { files }: RecordSet,
  { id, field }: RecordField,
  finding: Finding,
): Diagnostic {
  const file = files.get(id);
  if (file === undefined) return diagnostic(id, WHOLE_FILE, finding);
  return diagnostic(file, parseRecordFile(file).locate([field]), finding);
}
