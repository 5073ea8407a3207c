import type { Issuer } from '@passport-registry/verifier';
import { type Diagnostic, diagnostic, type Finding } from '../diagnostics/diagnostic.js';
import { WHOLE_FILE } from '../diagnostics/range.js';
import type { RecordSet } from './check-records.js';
import { parseRecordFile } from './yaml/parse.js';

/** A field of a record. */
interface RecordField {
  readonly id: string;
  readonly field: keyof Issuer;
}

/** The diagnostic for a finding at a field of a record. In a published list, which has no lines, the id is the place. */
export function recordDiagnostic(
  { files }: RecordSet,
  { id, field }: RecordField,
  finding: Finding,
): Diagnostic {
  const file = files.get(id);
  if (file === undefined) return diagnostic(id, WHOLE_FILE, finding);
  return diagnostic(file, parseRecordFile(file).locate([field]), finding);
}
