import type { Issuer } from '@passport-registry/verifier';
import { type Document, isMap, isScalar, isSeq, Lexer, type Pair, parseDocument, type YAMLSeq } from 'yaml';
import { UsageError } from '../errors.js';
import { keyOf } from '../records/yaml/locate.js';

/** The order of fields in a record: who it is, where its keys are, since when, for what, and whom to ask. */
export const FIELD_ORDER: readonly (keyof Issuer)[] = [
  'issuer_id',
  'tier',
  'status',
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

/** A list stands on one line up to this length, in characters. */
const MAX_LINE_LENGTH = 100;

/**
 * The text of a record in the one layout that all records have: fields in their order, lists on one line where they fit,
 * quotes only where they are needed. Every value and every comment stays.
 *
 * @param text - a record that can be parsed
 * @throws {@link UsageError} when a comment stands where the layout cannot keep it
 */
export function formatRecord(text: string, file: string): string {
  const [header, body] = headed(text.replaceAll('\r\n', '\n'));
  const document = parse(body);
  const { contents, directives } = document;
  if (!isMap(contents)) throw new UsageError(`${file} has no fields`);
  contents.flow = false;
  contents.items.sort((a, b) => rank(a) - rank(b));
  for (const pair of contents.items) formatPair(pair);
  if (directives !== undefined) directives.docStart = null;
  const formatted = `${header}${withoutGaps(document.toString({ lineWidth: 0, flowCollectionPadding: false }))}\n`;
  assertSame(text, formatted, file);
  return formatted;
}

/** What stands above the record and belongs to none of its fields: the line for editors, and comments before a gap. */
function headed(text: string): [header: string, body: string] {
  const lines = text.split('\n');
  const first = lines.findIndex((line) => line.trim() !== '' && !line.startsWith('#'));
  const gap = lines.slice(0, Math.max(first, 0)).findLastIndex((line) => line.trim() === '');
  const length = gap === -1 && lines[0]?.startsWith('# yaml-language-server:') ? 1 : gap + 1;
  const header = lines.slice(0, length).join('\n').trim();
  if (header === '') return ['', text];
  return [`${header}\n${gap === -1 ? '' : '\n'}`, lines.slice(length).join('\n')];
}

/** Only lines are taken away: other white space may belong to a value. */
function withoutGaps(text: string): string {
  return text.replace(/^\n+|\n+$/g, '');
}

function parse(text: string): Document {
  // The package would print parts of the text as warnings, in its own way.
  return parseDocument(text, { version: '1.2', schema: 'core', logLevel: 'error' });
}

/** A field that nobody knows keeps its place after all others; `validate` will say what is wrong with it. */
function rank(pair: Pair): number {
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
  // Quotes show where a value of several lines ends.
  node.type = String(node.value).includes('\n') ? 'QUOTE_DOUBLE' : 'PLAIN';
  // Without it null is written in one way, and not as the author happened to.
  delete node.source;
}

function fitsOnOneLine(key: string, { items, comment, commentBefore }: YAMLSeq): boolean {
  const nodes = items.filter(isScalar);
  const bare = nodes.length === items.length && nodes.every((node) => !node.comment && !node.commentBefore);
  const length = nodes.reduce((sum, { value }) => sum + String(value).length + 2, key.length + 4);
  return bare && !comment && !commentBefore && length <= MAX_LINE_LENGTH;
}

/** The layout is a matter of looks; should it ever touch what a record says, it is not applied. */
function assertSame(before: string, after: string, file: string): void {
  const value = (text: string) => JSON.stringify(sorted(parse(text).toJS()));
  if (value(before) !== value(after))
    throw new UsageError(`${file} cannot be formatted without a change of its content`);
  if (comments(before) !== comments(after)) {
    throw new UsageError(
      `${file} has a comment that formatting would lose; move the comment to its own line above a field`,
    );
  }
}

function sorted(record: object): unknown {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1));
}

function comments(text: string): string {
  return [...new Lexer().lex(text)]
    .filter((token) => token.startsWith('#'))
    .map((token) => token.trim())
    .sort()
    .join('\n');
}
