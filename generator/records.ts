import type { Issuer } from '@passport-registry/verifier';
import { collectRecordFiles, type RecordFile } from './collect.js';
import { conform } from './conform.js';
import type { Diagnostic } from './diagnostic.js';
import { checkIds, type NamedRecord } from './ids.js';
import { type ParsedFile, parseRecordFile } from './parse.js';
import type { OnProgress } from './progress.js';

/** The records of some files and folders, and all that is to be said about them. */
export interface LoadedRecords {
  /** The good records, sorted by issuer_id. Incomplete as soon as there is an error among the diagnostics. */
  readonly records: readonly Issuer[];
  /** How many record files there are, good or not. */
  readonly files: number;
  /** All problems and warnings of all files, by file and place. */
  readonly diagnostics: readonly Diagnostic[];
  /** Whether there is no error, warnings aside. */
  readonly ok: boolean;
}

/**
 * Loads and checks records: the whole of `passport-registry validate`.
 *
 * @param paths - files and folders; a folder is searched with its sub-folders for *.yaml and *.yml
 * @param onProgress - told of every file that has been read, and checked
 * @throws {@link UsageError} when a path does not exist
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
  const { files, diagnostics: collecting } = await collectRecordFiles(paths, onProgress);
  const records: Issuer[] = [];
  const found = checkRecordFiles(files, ({ record }) => record && records.push(record), onProgress);
  const diagnostics = [...collecting, ...found].sort(byPlace);
  return {
    records: records.sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
    files: files.length + collecting.filter(({ rule }) => rule !== 'no-records').length,
    diagnostics,
    ok: diagnostics.every(({ severity }) => severity !== 'error'),
  };
}

/** A file that has been checked. */
export interface CheckedFile {
  readonly file: RecordFile;
  readonly parsed: ParsedFile;
  /** Undefined when there is an error in it. */
  readonly record: Issuer | undefined;
}

/**
 * Checks record files, each by itself and all against each other.
 *
 * @param onChecked - given each file in turn; none is kept here
 */
export function checkRecordFiles(
  files: readonly RecordFile[],
  onChecked: (checked: CheckedFile) => void,
  onProgress?: OnProgress,
): Diagnostic[] {
  const diagnostics: Diagnostic[] = [];
  const named: NamedRecord[] = [];
  for (const [done, file] of files.entries()) {
    onProgress?.('checking', done, files.length);
    const parsed = parseRecordFile(file);
    const { record, diagnostics: found } = conform(parsed);
    diagnostics.push(...found);
    named.push(...nameOf(parsed));
    onChecked({ file, parsed, record });
  }
  return [...diagnostics, ...checkIds(named)];
}

function nameOf({ file, stem, value, locate }: ParsedFile): NamedRecord[] {
  const id = (value as { issuer_id?: unknown } | null | undefined)?.issuer_id;
  return typeof id === 'string' ? [{ file, stem, id, range: () => locate(['issuer_id']) }] : [];
}

/** Diagnostics in the order of their files and places. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
