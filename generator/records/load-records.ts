import type { Issuer } from '@passport-registry/verifier';
import type { AboutIssuers } from '@passport-registry/verifier/core';
import { type Diagnostic, isError } from '../diagnostics/diagnostic.js';
import type { OnProgress } from '../progress.js';
import { checkRecords } from './check-records.js';
import { collectRecordFiles } from './collect.js';

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
