import { performance } from 'node:perf_hooks';
import { byPlace, type Diagnostic, diagnostic, isError } from '../diagnostics/diagnostic.js';
import { WHOLE_FILE } from '../diagnostics/range.js';
import { forEachConcurrent } from '../for-each-concurrent.js';
import type { OnProgress } from '../progress.js';
import { parseRecordFile } from '../records/yaml/parse.js';
import type { RecordSet } from '../review/record-set.js';
import { checkIssuer, type OnlineFinding } from './check-issuer.js';
import type { GetOptions } from './fetch-document.js';

/** What was seen of one issuer. */
export interface CheckedIssuer {
  readonly issuer_id: string;
  /** Whether there was no error; a revoked issuer is not asked. */
  readonly result: 'good' | 'bad' | 'revoked';
  readonly milliseconds: number;
}

/** What was seen of all. */
export interface OnlineReport {
  readonly issuers: readonly CheckedIssuer[];
  readonly diagnostics: readonly Diagnostic[];
}

/**
 * Looks at what issuers publish, several at a time.
 *
 * @param concurrency - number of issuers to check at the same time
 */
export async function checkOnline(
  records: RecordSet,
  options: GetOptions & { readonly concurrency: number },
  onProgress?: OnProgress,
): Promise<OnlineReport> {
  const asked = [...records.issuers.values()];
  const issuers: CheckedIssuer[] = [];
  const diagnostics: Diagnostic[] = [];
  await forEachConcurrent(asked, options.concurrency, async (issuer) => {
    const started = performance.now();
    const revoked = issuer.status === 'revoked';
    const found = revoked ? [] : located(issuer.issuer_id, await checkIssuer(issuer, options), records);
    const milliseconds = revoked ? 0 : Math.round(performance.now() - started);
    const result = found.some(isError) ? 'bad' : 'good';
    diagnostics.push(...found);
    issuers.push({ issuer_id: issuer.issuer_id, result: revoked ? 'revoked' : result, milliseconds });
    onProgress?.('checking', issuers.length, asked.length);
  });
  return {
    issuers: issuers.sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
    diagnostics: diagnostics.sort(byPlace),
  };
}

function located(id: string, found: readonly OnlineFinding[], { files }: RecordSet): Diagnostic[] {
  const file = files.get(id);
  if (file === undefined || found.length === 0) {
    return found.map(({ finding }) => diagnostic(id, WHOLE_FILE, finding));
  }
  const { locate } = parseRecordFile(file);
  return found.map(({ field, finding }) => diagnostic(file, locate([field]), finding));
}
