import { RULES, type RuleName } from './rules.js';

/** A range in a file. Lines and columns start at 1. Columns count UTF-16 code units. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** The start of a file, for problems that concern the whole file. */
export const WHOLE_FILE: Range = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/** The line of a file that a diagnostic refers to. A long line is cut around the position. */
interface Excerpt {
  readonly before: string;
  /** The marked part of the line. Empty if the diagnostic is about something missing. */
  readonly marked: string;
  readonly after: string;
}

/** One problem in one file, as data. Printers format diagnostics for people and programs. */
export interface Diagnostic extends Range {
  /** The stable name of the violated rule. */
  readonly rule: RuleName;
  readonly severity: 'error' | 'warning';
  /** The path of the file, as the user would write it. */
  readonly file: string;
  /** The problem. */
  readonly message: string;
  /** The input that the rule expects. */
  readonly expected: string;
  /** The action that solves the problem. */
  readonly remedy: string;
  /** The line of the file, as it was read. Undefined for a file that was not read, and for an empty line. */
  readonly excerpt?: Excerpt;
}

/** The file of a diagnostic, with its text if the file was read. Diagnostics never read the file again. */
export interface Source {
  readonly file: string;
  readonly text?: string;
}

/** Whether a diagnostic is an error rather than a warning. */
export function isError({ severity }: Pick<Diagnostic, 'severity'>): boolean {
  return severity === 'error';
}

/** A problem, as a check reports it. The rule supplies the members that the check leaves out. */
export interface Finding {
  readonly rule: RuleName;
  readonly message: string;
  readonly expected?: string | undefined;
  readonly remedy?: string | undefined;
  readonly severity?: 'error' | 'warning' | undefined;
}

/**
 * Creates the diagnostic for a finding at a position.
 *
 * @param source - the file, or only its path if it was not read
 */
export function diagnostic(source: Source | string, range: Range, finding: Finding): Diagnostic {
  const { rule, message } = finding;
  const { severity = RULES[rule].severity, expected = RULES[rule].expected } = finding;
  const { remedy = RULES[rule].remedy } = finding;
  const { file, text = '' }: Source = typeof source === 'string' ? { file: source } : source;
  const excerpt = excerptOf(text, range);
  return { severity, expected, remedy, rule, message, file, ...range, ...(excerpt && { excerpt }) };
}

/** Formats a value for a message: quoted, on one line, shortened to 80 characters. */
export function shown(value: unknown): string {
  const text = typeof value === 'string' ? JSON.stringify(value) : describe(value);
  return text.length > 80 ? `${text.slice(0, 76)} ...` : text;
}

function describe(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'a list';
  if (typeof value === 'object') return 'a mapping';
  return `the ${typeof value} ${value}`;
}

/** Compares diagnostics by file, then by position. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}

/** Maximum length of an excerpt, in UTF-16 code units. */
const MAX_LENGTH = 100;
/** Length that a shortened excerpt keeps before the marked part, in UTF-16 code units. */
const LEAD_LENGTH = 20;

/** The excerpt for a range: its first line. Undefined if the line is blank. */
function excerptOf(text: string, { line, column, endLine, endColumn }: Range): Excerpt | undefined {
  const source = (text.split('\n')[line - 1] ?? '').replace(/\r$/, '');
  if (source.trim() === '') return undefined;
  const start = column - 1;
  const from = start < MAX_LENGTH - LEAD_LENGTH ? 0 : start - LEAD_LENGTH;
  const to = Math.min(from + MAX_LENGTH, source.length);
  const end = Math.min(endLine === line ? Math.max(endColumn - 1, start) : source.length, to);
  return {
    before: `${from > 0 ? '...' : ''}${source.slice(from, start)}`,
    marked: source.slice(start, end),
    after: `${source.slice(end, to)}${source.length > to ? '...' : ''}`,
  };
}
