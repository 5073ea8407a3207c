import { RULES, type RuleName } from './rules.js';

/** A stretch of a file. Lines and columns count from 1; a column is a UTF-16 code unit. */
export interface Range {
  readonly line: number;
  readonly column: number;
  readonly endLine: number;
  readonly endColumn: number;
}

/** One problem in one file, as data. Printers turn it into words. */
export interface Diagnostic extends Range {
  /** The rule that was broken: a stable name. */
  readonly rule: RuleName;
  readonly severity: 'error' | 'warning';
  /** The file, as the user would name it. */
  readonly file: string;
  /** What was found. */
  readonly message: string;
  /** What the rule expects. */
  readonly expected: string;
  /** What to do about it. */
  readonly remedy: string;
}

/** What a check says of a problem; the rule supplies what it leaves out. */
export interface Finding {
  readonly rule: RuleName;
  readonly message: string;
  readonly expected?: string;
  readonly remedy?: string;
  readonly severity?: 'error' | 'warning';
}

/** The start of a file, for problems that concern it as a whole. */
export const WHOLE_FILE: Range = { line: 1, column: 1, endLine: 1, endColumn: 1 };

/** The diagnostic for a finding at a place. */
export function diagnostic(file: string, range: Range, finding: Finding): Diagnostic {
  const { severity, expected, remedy } = RULES[finding.rule];
  return { severity, expected, remedy, ...finding, file, ...range };
}

/** A value as a message shows it: quoted, on one line, not too long. */
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

/** Diagnostics in the order of their files and places. */
export function byPlace(a: Diagnostic, b: Diagnostic): number {
  if (a.file !== b.file) return a.file < b.file ? -1 : 1;
  return a.line - b.line || a.column - b.column;
}
