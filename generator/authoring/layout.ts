import type { Issuer } from '@passport-registry/verifier';
import type { ABOUT_FIELDS } from '@passport-registry/verifier/core';
import { type Document, isMap, isScalar, isSeq, Lexer, type Pair, parseDocument, type YAMLSeq } from 'yaml';
import { type Diagnostic, diagnostic, type Finding, WHOLE_FILE } from '../diagnostics/diagnostic.js';
import { UsageError } from '../errors.js';
import { replaceFile } from '../files/replace-file.js';
import type { RecordFile } from '../records/collect.js';
import { parseFastYaml } from '../records/yaml/fast-yaml.js';
import { keyOf } from '../records/yaml/locate.js';
import { parseRecordFile } from '../records/yaml/parse.js';

/** The order of the fields in a record: identity, URLs, dates, scope, contact. */
export const FIELD_ORDER: readonly (keyof Issuer | (typeof ABOUT_FIELDS)[number])[] = [
  'issuer_id',
  'name',
  'tier',
  'status',
  'status_reason',
  'reinstated',
  'jwks_uri',
  'discovery_uri',
  'policy_uri',
  'certified_since',
  'last_audit',
  'geographical_scope',
  'domain_scope',
  'passport_types',
  'contact',
];

/** Maximum length of a list or a comment on one line, in characters. */
export const MAX_LINE_LENGTH = 100;

/**
 * Formats a record in the layout of all records: fields in a fixed order, lists on one line if they fit, quotes only
 * where they are needed. All values and comments are preserved.
 *
 * @param text - a record without syntax errors
 * @throws {@link UsageError} if the layout cannot preserve a comment, or the text depends on its line ends
 */
function formatRecord(text: string, file: string): string {
  const [header, body] = splitHeader(text.replaceAll('\r\n', '\n'));
  const document = parseRecord(body);
  const { contents, directives, errors } = document;
  if (errors.length > 0) throw new UsageError(`${file} has a syntax error once its lines end in LF`);
  if (!isMap(contents)) throw new UsageError(`${file} has no fields`);
  contents.flow = false;
  contents.items.sort((a, b) => positionOf(a) - positionOf(b));
  for (const pair of contents.items) formatPair(pair);
  if (directives !== undefined) directives.docStart = null;
  // Removes only blank lines, because other white space may belong to a value.
  const written = document.toString({ lineWidth: 0, flowCollectionPadding: false });
  const formatted = `${header}${written.replace(/^\n+|\n+$/g, '')}\n`;
  if (formatted === text) return text;
  assertSame(text, formatted, file);
  return formatted;
}

/** Splits off the header, which belongs to no field: the line for editors, and comments that a blank line follows. */
function splitHeader(text: string): [header: string, body: string] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const gap = lines.slice(0, Math.max(first, 0)).findLastIndex((line) => line.trim() === '');
  const length = gap === -1 && lines[0]?.startsWith('# yaml-language-server:') ? 1 : gap + 1;
  const header = lines.slice(0, length).join('\n').trim();
  if (header === '') return ['', text];
  return [`${header}\n${gap === -1 ? '' : '\n'}`, lines.slice(length).join('\n')];
}

/** Parses the text of a record, with its comments, to change and write it. */
export function parseRecord(text: string): Document {
  // At other log levels the package prints its own warnings, which quote the text.
  return parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error' });
}

/** The position of a field. Unknown fields come last; `check` reports them. */
function positionOf(pair: Pair): number {
  return (FIELD_ORDER as readonly string[]).indexOf(keyOf(pair)) >>> 0;
}

function formatPair({ key, value }: Pair): void {
  formatScalar(key);
  formatScalar(value);
  if (!isSeq(value)) return;
  for (const item of value.items) formatScalar(item);
  value.flow = fitsOnOneLine(String(key), value);
}

function formatScalar(node: unknown): void {
  if (!isScalar(node)) return;
  // Quotes mark the end of a value with several lines.
  node.type = String(node.value).includes('\n') ? 'QUOTE_DOUBLE' : 'PLAIN';
  // Without the source, null always has the same spelling.
  delete node.source;
}

function fitsOnOneLine(key: string, { items, comment, commentBefore }: YAMLSeq): boolean {
  const nodes = items.filter(isScalar);
  const bare = nodes.length === items.length && nodes.every((node) => !node.comment && !node.commentBefore);
  const length = nodes.reduce((sum, { value }) => sum + String(value).length + 2, key.length + 4);
  return bare && !comment && !commentBefore && length <= MAX_LINE_LENGTH;
}

/** Asserts that formatting has changed only the layout, neither the values nor the comments. */
function assertSame(before: string, after: string, file: string): void {
  const value = (text: string) =>
    JSON.stringify(Object.entries(parseRecord(text).toJS()).sort(([a], [b]) => (a < b ? -1 : 1)));
  if (value(before) !== value(after))
    throw new UsageError(`${file} cannot be formatted without changing its content`);
  if (commentsIn(before) !== commentsIn(after)) {
    throw new UsageError(
      `${file} has a comment that formatting would lose; move the comment to its own line above a field`,
    );
  }
}

function commentsIn(text: string): string {
  return [...new Lexer().lex(text)]
    .filter((token) => token.startsWith('#'))
    .map((token) => token.trim())
    .sort()
    .join('\n');
}

/**
 * Formats the file of a record. Leaves a file that cannot be formatted unchanged: `checkLayout` and `checkRecords` say why.
 *
 * @throws {@link IoFailed}
 */
export function fixLayout(record: RecordFile): { readonly record: RecordFile; readonly changed: boolean } {
  const text = formattedText(record);
  if (text === record.text || text instanceof UsageError) return { record, changed: false };
  replaceFile(record.file, text);
  return { record: { ...record, text }, changed: true };
}

/** Reports that a record is not formatted, or cannot be. Reports nothing about a file that is not a mapping. */
export function checkLayout(record: RecordFile): readonly Diagnostic[] {
  const text = formattedText(record);
  if (text === record.text) return [];
  if (text instanceof UsageError)
    return [
      diagnostic(record, WHOLE_FILE, {
        rule: 'layout',
        message: text.message,
        remedy: 'change the file by hand',
      }),
    ];
  const message = 'the file is not formatted';
  if (record.text.replaceAll(/\r\n?/g, '\n') === text) return [diagnostic(record, WHOLE_FILE, LINE_ENDS)];
  return [diagnostic(record, firstDifference(record.text, text), { rule: 'layout', message })];
}

/** Git can write these at each checkout, so that another `--fix` would not help for long. */
const LINE_ENDS: Finding = {
  rule: 'layout',
  message: 'the lines of the file end in CR, as on Windows, and not in LF',
  remedy:
    'run `passport-registry check --fix`; if git writes them at checkout (core.autocrlf), first put `* text=auto eol=lf` into .gitattributes',
};

/** The text of a record in the layout, or why it cannot be formatted. A file that is no mapping stays as it is. */
function formattedText(record: RecordFile): string | UsageError {
  if (isPlainlyFormatted(record.text)) return record.text;
  const { value, diagnostics, text, file } = parseRecordFile(record);
  if (diagnostics.length > 0 || typeof value !== 'object' || Array.isArray(value)) return text;
  try {
    return formatRecord(text, file);
  } catch (error) {
    if (error instanceof UsageError) return error;
    throw error;
  }
}

/**
 * Whether a record is formatted, for nearly all records that are: those without comments and quotes. The full parser takes a hundred
 * times as long, and decides about all others.
 */
function isPlainlyFormatted(text: string): boolean {
  const body = text.replace(EDITOR_LINE, '');
  const values = parseFastYaml(body);
  if (values === undefined) return false;
  const written = FIELD_ORDER.filter((field) => Object.hasOwn(values, field)).map((field) =>
    plainField(field, values[field]),
  );
  return written.join('') === body;
}

/** The line for editors, without white space at its end. */
const EDITOR_LINE = /^# yaml-language-server:.*\S\n/;

/** Writes a field with a value of the fast parser, in the layout. */
function plainField(field: string, value: unknown): string {
  if (!Array.isArray(value)) return `${field}: ${value}\n`;
  const line = `${field}: [${value.join(', ')}]`;
  // As `fitsOnOneLine` counts.
  if (line.length + 2 <= MAX_LINE_LENGTH) return `${line}\n`;
  return `${field}:\n${value.map((word) => `  - ${word}\n`).join('')}`;
}

/** Returns the range of the first line that differs from the formatted text. */
function firstDifference(text: string, formatted: string) {
  const [lines, expected] = [text.split('\n'), formatted.split('\n')];
  const index = lines.findIndex((line, at) => line !== expected[at]);
  const line = (index === -1 ? lines.length - 1 : index) + 1;
  return { ...WHOLE_FILE, line, endLine: line, endColumn: (lines[line - 1]?.length ?? 0) + 1 };
}
