import { type Diagnostic, diagnostic, WHOLE_FILE } from '../diagnostics/diagnostic.js';
import { UsageError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import { parseRecordFile } from '../records/yaml/parse.js';
import type { RecordFile } from '../records/yaml/record-file.js';
import { formatRecord } from './layout.js';

/** A record after formatting. */
interface FormattedRecord {
  readonly record: RecordFile;
  readonly changed: boolean;
}

/**
 * Formats the file of a record. Leaves a file that cannot be formatted unchanged: `checkLayout` and `checkRecords` say why.
 *
 * @throws {@link IoFailed}
 */
export function fixLayout(record: RecordFile): FormattedRecord {
  const text = isReadable(record) ? formattedText(record) : record.text;
  if (text === record.text || text instanceof UsageError) return { record, changed: false };
  replaceFile(record.file, text);
  return { record: { ...record, text }, changed: true };
}

/** Reports that a record is not formatted, or cannot be. Reports nothing about a file that is not a mapping. */
export function checkLayout(record: RecordFile): readonly Diagnostic[] {
  const text = isReadable(record) ? formattedText(record) : record.text;
  if (text === record.text) return [];
  if (text instanceof UsageError)
    return [diagnostic(record, WHOLE_FILE, { rule: 'layout', message: text.message, remedy: BY_HAND })];
  const message = 'the file is not formatted';
  return [diagnostic(record, firstDifference(record.text, text), { rule: 'layout', message })];
}

const BY_HAND = 'change the file by hand';

/** Whether a file is a mapping without syntax errors. */
function isReadable(record: RecordFile): boolean {
  const { value, diagnostics } = parseRecordFile(record);
  return diagnostics.length === 0 && typeof value === 'object' && !Array.isArray(value);
}

function formattedText({ text, file }: RecordFile): string | UsageError {
  try {
    return formatRecord(text, file);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/** Returns the range of the first line that differs from the formatted text. */
function firstDifference(text: string, formatted: string) {
  const [lines, expected] = [text.split('\n'), formatted.split('\n')];
  const index = lines.findIndex((line, at) => line !== expected[at]);
  const line = (index === -1 ? lines.length - 1 : index) + 1;
  return { ...WHOLE_FILE, line, endLine: line, endColumn: (lines[line - 1]?.length ?? 0) + 1 };
}
