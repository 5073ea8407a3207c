import type { Issuer } from '@passport-registry/verifier';
import { type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import type { OnProgress } from '../progress.js';
import { checkRecords } from './check-records.js';
import { collectRecordFiles } from './collect.js';

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
 * @param onProgress - told how many files have been checked
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
  const collected = collectRecordFiles(paths);
  const { issuers, diagnostics } = checkRecords(collected, onProgress);
  return {
    records: [...issuers.values()].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
    files: collected.found,
    diagnostics,
    ok: !diagnostics.some(isError),
  };
}
