import { type Document, isAlias, isMap, isScalar, isSeq, LineCounter, parseDocument } from 'yaml';
import {
  type Diagnostic,
  diagnostic,
  type Finding,
  type Range,
  type Source,
  WHOLE_FILE,
} from '../../diagnostics/diagnostic.js';
import type { RuleName } from '../../diagnostics/rules.js';
import type { RecordFile } from '../collect.js';
import { parseFastYaml } from './fast-yaml.js';
import { forbiddenFeatures } from './forbidden-yaml.js';
import { keyOf, nearest, type Path, rangeOf, type ToRange } from './locate.js';

/** The data of a record file, with a function that finds the position of each value in the text. */
export interface ParsedFile extends RecordFile {
  /** The document as JSON data. Undefined if syntax errors prevent further checks. */
  readonly value: unknown;
  /**
   * The position of a value; with `key`, the position of its field's name. If nothing is at the path, the position of
   * the deepest value on the path.
   */
  locate(path: Path, part?: 'key' | 'value'): Range;
  /** The text of a value that is not a string, a list or a mapping, as the author wrote it. Otherwise undefined. */
  sourceAt(path: Path): string | undefined;
  /** Whether the value is a YAML alias. Aliases have already been reported. */
  isAlias(path: Path): boolean;
  readonly diagnostics: readonly Diagnostic[];
}

/** Maximum number of problems reported for one file. A hostile file could cause thousands. */
const MAX_PROBLEMS = 50;

/**
 * Parses a record file: YAML 1.2, core schema, one document of plain data. Positions are computed only when `locate` is
 * called.
 */
export function parseRecordFile(record: RecordFile): ParsedFile {
  const value = parseFastYaml(record.text);
  if (value === undefined) return parseYaml(record);
  let parsed: ParsedFile | undefined;
  const full = () => {
    parsed ??= parseYaml(record);
    return parsed;
  };
  const locate: ParsedFile['locate'] = (path, part) => full().locate(path, part);
  const sourceAt: ParsedFile['sourceAt'] = (path) => full().sourceAt(path);
  // Object spread would take five times as long, and this line runs for every record.
  const { file, stem, text } = record;
  return { file, stem, text, value, locate, sourceAt, isAlias: () => false, diagnostics: [] };
}

/**
 * Creates the diagnostic for a finding at a field of a record. Few positions are needed, and a parsed file takes more memory
 * than its text, so this parses the file again.
 */
export function fieldDiagnostic(record: RecordFile, field: string, finding: Finding): Diagnostic {
  return diagnostic(record, parseRecordFile(record).locate([field]), finding);
}

/** Parses any YAML, and reports syntax errors and forbidden features. */
function parseYaml(record: RecordFile): ParsedFile {
  const { text } = record;
  const lines = new LineCounter();
  const document = parseDocument(text, {
    version: '1.2',
    schema: 'core',
    merge: false,
    uniqueKeys: true,
    prettyErrors: false,
    lineCounter: lines,
  });
  const range: ToRange = (start, end) => {
    const [from, to] = [lines.linePos(start), lines.linePos(Math.max(start, end))];
    return { line: from.line, column: from.col, endLine: to.line, endColumn: to.col };
  };
  const syntax = syntaxProblems(document, record, range);
  const broken = syntax.some(({ rule }) => rule !== 'duplicate-key');
  const root = document.contents;
  const empty = root === null || (isScalar(root) && root.value === null && root.source === '');
  if (empty && !broken) {
    syntax.push(
      diagnostic(record, WHOLE_FILE, { rule: 'empty-file', message: 'the file contains no record' }),
    );
  }
  const features = broken || empty ? [] : forbiddenFeatures(document, record, range);
  return {
    ...record,
    value: broken || empty ? undefined : toData(root),
    locate: (path, part = 'value') => rangeOf(nearest(root, path, part), range),
    sourceAt: (path) => sourceOf(nearest(root, path, 'value')),
    isAlias: (path) => isAlias(nearest(root, path, 'value')),
    diagnostics: [...syntax, ...features].slice(0, MAX_PROBLEMS),
  };
}

function syntaxProblems(document: Document, source: Required<Source>, range: ToRange): Diagnostic[] {
  const { errors } = document;
  if (errors.some(({ code }) => code === 'RESOURCE_EXHAUSTION')) {
    const message = 'the file is nested too deeply';
    return [diagnostic(source, WHOLE_FILE, { rule: 'yaml-too-deep', message })];
  }
  // One mistake can cause several errors on its line. The first error is the most useful.
  const firstOfLine = new Map<string, Diagnostic>();
  for (const { code, message, pos } of errors) {
    const place = range(...pos);
    const found = diagnostic(source, place, syntaxFinding(code, message, source.text.slice(pos[0])));
    const key = `${found.rule} ${place.line}`;
    if (!firstOfLine.has(key)) firstOfLine.set(key, found);
  }
  return [...firstOfLine.values()];
}

function syntaxFinding(code: string, message: string, rest: string): { rule: RuleName; message: string } {
  if (code === 'MULTIPLE_DOCS') {
    return { rule: 'multiple-documents', message: 'a second document starts here' };
  }
  if (code === 'DUPLICATE_KEY') {
    const key = /^"[^"\n]*"|^'[^'\n]*'|^[^\s:]+/.exec(rest)?.[0] ?? 'a field';
    return { rule: 'duplicate-key', message: `${key} appears twice` };
  }
  return { rule: 'yaml-syntax', message };
}

function sourceOf(node: unknown): string | undefined {
  return isScalar(node) && typeof node.value !== 'string' ? (node.source ?? '') : undefined;
}

function toData(node: unknown): unknown {
  if (isMap(node)) {
    // Object.fromEntries defines properties, so a field named __proto__ becomes an ordinary field.
    return Object.fromEntries(
      node.items.filter((pair) => keyOf(pair) !== '<<').map((pair) => [keyOf(pair), toData(pair.value)]),
    );
  }
  if (isSeq(node)) return node.items.map(toData);
  return isScalar(node) ? node.value : null;
}
