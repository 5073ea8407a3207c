import { type Excerpt, excerptOf } from './excerpt.js';
import type { Range } from './range.js';
import { RULES, type RuleName } from './rules.js';

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
  readonly expected?: string;
  readonly remedy?: string;
  readonly severity?: 'error' | 'warning';
}

/**
 * Creates the diagnostic for a finding at a position.
 *
 * @param source - the file, or only its path if it was not read
 */
export function diagnostic(source: Source | string, range: Range, finding: Finding): Diagnostic {
  const { severity, expected, remedy } = RULES[finding.rule];
  const { file, text = '' }: Source = typeof source === 'string' ? { file: source } : source;
  const excerpt = excerptOf(text, range);
  return { severity, expected, remedy, ...finding, file, ...range, ...(excerpt && { excerpt }) };
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
