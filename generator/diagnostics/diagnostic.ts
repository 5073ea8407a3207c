import { type Excerpt, excerptOf } from './excerpt.js';
import type { Range } from './range.js';
import { RULES, type RuleName } from './rules.js';

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
  /** The line of the file, as it was read. None for a file that was not read, and for an empty line. */
  readonly excerpt?: Excerpt;
}

/** A file that a diagnostic is about, and its text, if it was read. Nothing reads it again. */
export interface Source {
  readonly file: string;
  readonly text?: string;
}

/** Whether a problem is more than a warning. */
export function isError({ severity }: Pick<Diagnostic, 'severity'>): boolean {
  return severity === 'error';
}

/** What a check says of a problem; the rule supplies what it leaves out. */
export interface Finding {
  readonly rule: RuleName;
  readonly message: string;
  readonly expected?: string;
  readonly remedy?: string;
  readonly severity?: 'error' | 'warning';
}

/**
 * The diagnostic for a finding at a place.
 *
 * @param source - the file that was read, or the name of one that was not
 */
export function diagnostic(source: Source | string, range: Range, finding: Finding): Diagnostic {
  const { severity, expected, remedy } = RULES[finding.rule];
  const { file, text = '' }: Source = typeof source === 'string' ? { file: source } : source;
  const excerpt = excerptOf(text, range);
  return { severity, expected, remedy, ...finding, file, ...range, ...(excerpt && { excerpt }) };
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
