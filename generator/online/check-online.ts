import { performance } from 'node:perf_hooks';
import type { Issuer } from '@passport-registry/verifier';
import { type Diagnostic, diagnostic, WHOLE_FILE } from '../diagnostic.js';
import { parseRecordFile } from '../parse.js';
import type { OnProgress } from '../progress.js';
import type { RecordSet } from '../record-set.js';
import { byPlace } from '../records.js';
import { checkIssuer, type OnlineFinding } from './check-issuer.js';
import type { GetOptions } from './get.js';

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
 * @param concurrency - how many issuers at a time
 */
export async function checkOnline(
  records: RecordSet,
  options: GetOptions & { readonly concurrency: number },
  onProgress?: OnProgress,
): Promise<OnlineReport> {
  const waiting = [...records.issuers.values()];
  const total = waiting.length;
  const issuers: CheckedIssuer[] = [];
  const diagnostics: Diagnostic[] = [];
  const worker = async () => {
    for (let issuer = waiting.shift(); issuer !== undefined; issuer = waiting.shift()) {
      const { found, checked } = await look(issuer, options);
      diagnostics.push(...located(issuer.issuer_id, found, records));
      issuers.push(checked);
      onProgress?.('checking', issuers.length, total);
    }
  };
  await Promise.all(Array.from({ length: options.concurrency }, worker));
  return {
    issuers: issuers.sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
    diagnostics: diagnostics.sort(byPlace),
  };
}

async function look(
  issuer: Issuer,
  options: GetOptions,
): Promise<{ found: OnlineFinding[]; checked: CheckedIssuer }> {
  const { issuer_id, status } = issuer;
  if (status === 'revoked') return { found: [], checked: { issuer_id, result: 'revoked', milliseconds: 0 } };
  const started = performance.now();
  const found = await checkIssuer(issuer, options);
  const milliseconds = Math.round(performance.now() - started);
  const bad = located(issuer_id, found, undefined).some(({ severity }) => severity === 'error');
  return { found, checked: { issuer_id, result: bad ? 'bad' : 'good', milliseconds } };
}

function located(id: string, found: readonly OnlineFinding[], records: RecordSet | undefined): Diagnostic[] {
  const file = records?.files.get(id);
  if (file === undefined || found.length === 0) {
    return found.map(({ finding }) => diagnostic(id, WHOLE_FILE, finding));
  }
  const { locate } = parseRecordFile(file);
  return found.map(({ field, finding }) => diagnostic(file.file, locate([field]), finding));
}
