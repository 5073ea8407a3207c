import { performance } from 'node:perf_hooks';
import { forEachConcurrent } from '@passport-registry/verifier/core';
import { byPlace, type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import type { OnProgress } from '../../generator/progress.js';
import { type RecordSet, recordDiagnostic } from '../../generator/records/check-records.js';
import { checkIssuer } from './check-issuer.js';
import type { GetOptions } from './fetch-document.js';

/** The result of the check of one issuer. */
interface CheckedIssuer {
  readonly issuer_id: string;
  /** `good` if there were no errors. A revoked issuer is not checked. */
  readonly result: 'good' | 'bad' | 'revoked';
  readonly milliseconds: number;
}

/** How many issuers are checked at the same time. */
const CONCURRENCY = 16;

/**
 * Checks the documents that issuers publish, several issuers at a time.
 *
 * @param options - the limits of each request
 */
export async function checkOnline(
  records: RecordSet,
  options: GetOptions,
  onProgress?: OnProgress,
): Promise<{ readonly issuers: readonly CheckedIssuer[]; readonly diagnostics: readonly Diagnostic[] }> {
  const all = [...records.issuers.values()];
  const issuers: CheckedIssuer[] = [];
  const diagnostics: Diagnostic[] = [];
  await forEachConcurrent(all, CONCURRENCY, async (issuer) => {
    const started = performance.now();
    const revoked = issuer.status === 'revoked';
    const faults = revoked ? [] : await checkIssuer(issuer, options);
    const found = faults.map(({ field, finding }) =>
      recordDiagnostic(records, { id: issuer.issuer_id, field }, finding),
    );
    const milliseconds = revoked ? 0 : Math.round(performance.now() - started);
    const result = found.some(isError) ? 'bad' : 'good';
    diagnostics.push(...found);
    issuers.push({ issuer_id: issuer.issuer_id, result: revoked ? 'revoked' : result, milliseconds });
    onProgress?.('checking', issuers.length, all.length);
  });
  return {
    issuers: issuers.sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
    diagnostics: diagnostics.sort(byPlace),
  };
}
