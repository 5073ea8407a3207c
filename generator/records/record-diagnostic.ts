import type { Issuer } from '@passport-registry/verifier';
import { type Diagnostic, diagnostic, type Finding, WHOLE_FILE } from '../diagnostics/diagnostic.js';
import type { RecordSet } from './check-records.js';
import { parseRecordFile } from './yaml/parse.js';

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
