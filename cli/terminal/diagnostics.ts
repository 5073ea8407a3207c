import { styleText } from 'node:util';
import { type Diagnostic, isError } from '../../generator/diagnostics/diagnostic.js';
import { printable } from '../../generator/diagnostics/printable.js';
import { count, emit, type Io, type Output, reportOutput } from './io.js';

/** How a command reports diagnostics on stdout: as text for people, or as data. */
type Format = 'text' | 'json' | 'github' | 'markdown';

/** The options of commands that report diagnostics. */
export interface FormatOptions {
  json?: true;
  /** Only `diff` has this option. */
  markdown?: true;
}

/** Returns how a command reports diagnostics. GitHub's workflow runner shows annotations on the lines of a pull request. */
export function formatOf({ env }: Io, { json, markdown }: FormatOptions): Format {
  if (json) return 'json';
  if (markdown) return 'markdown';
  return env['GITHUB_ACTIONS'] === 'true' ? 'github' : 'text';
}

/** Counts diagnostics: `1 problem, 0 warnings`. */
export function tally(diagnostics: readonly Diagnostic[]): string {
  const errors = diagnostics.filter(isError).length;
  return `${count(errors, 'problem')}, ${count(diagnostics.length - errors, 'warning')}`;
}

/**
 * Prints diagnostics in a format.
 *
 * @param found - the diagnostics, and other members for the JSON report
 */
export function report(
  io: Io,
  format: Format,
  found: { readonly diagnostics: readonly Diagnostic[]; readonly [more: string]: unknown },
): void {
  const { diagnostics } = found;
  if (format === 'json') emit(io, found);
  if (format === 'github') io.stdout.write(forGitHub(diagnostics));
  else writeDiagnostics(reportOutput(io, format !== 'text'), io, diagnostics);
}

/** Prints diagnostics for people, on stderr. */
export function sayDiagnostics(io: Io, diagnostics: readonly Diagnostic[]): void {
  writeDiagnostics(io.stderr, io, diagnostics);
}

function writeDiagnostics(output: Output, { env }: Io, diagnostics: readonly Diagnostic[]): void {
  const colour = output.isTTY === true && output.hasColors?.(env) === true;
  output.write(forTerminal(diagnostics, colour));
}

const STYLES = { error: 'red', warning: 'yellow', dim: 'dim', bold: 'bold' } as const;

/** A piece of a line, with its style. */
type Piece = string | readonly [style: keyof typeof STYLES, text: string];

/**
 * Formats diagnostics for people: the position, the rule, the problem, the line of the file with a mark below, the
 * expected input and the remedy.
 *
 * @param colour - whether the terminal supports colours
 */
export function forTerminal(diagnostics: readonly Diagnostic[], colour: boolean): string {
  return diagnostics
    .flatMap(linesOf)
    .map((pieces) => `${formatLine(pieces, colour)}\n`)
    .join('');
}

/** Formats one line. All output of this printer is escaped here. */
function formatLine(pieces: readonly Piece[], colour: boolean): string {
  return pieces
    .map((piece) => {
      const [style, text] = typeof piece === 'string' ? [undefined, piece] : piece;
      // The width of a tab varies. A space instead keeps the carets below their text.
      const shown = printable(text.replaceAll('\t', ' '));
      if (!colour || style === undefined) return shown;
      // The caller has already checked the terminal. styleText would check a different stream.
      return styleText(STYLES[style], shown, { validateStream: false });
    })
    .join('');
}

function linesOf(diagnostic: Diagnostic): Piece[][] {
  const { file, line, column, severity, rule, message, expected, remedy } = diagnostic;
  return [
    [['bold', `${file}:${line}:${column}`], ': ', [severity, severity], ` ${rule}: ${message}`],
    ...excerptLines(diagnostic),
    [`    expected: ${expected}`],
    [`    remedy: ${remedy}`],
  ];
}

/** The line of the file, with carets below the marked part. */
function excerptLines({ line, severity, excerpt }: Diagnostic): Piece[][] {
  if (excerpt === undefined) return [];
  const { before, marked, after } = excerpt;
  const gutter = ` ${line} | `;
  // The width of the printed text. Escapes can make it longer than the source.
  const width = (text: string) => printable(text.replaceAll('\t', ' ')).length;
  return [
    [['dim', gutter], `${before}${marked}${after}`],
    [
      ['dim', `${' '.repeat(gutter.length - 2)}| `],
      ' '.repeat(width(before)),
      [severity, '^'.repeat(Math.max(1, width(marked)))],
    ],
  ];
}

/**
 * Formats diagnostics as commands for GitHub's workflow runner, which shows them on the lines of a pull request. The
 * content and the name of a file cannot end a command or its properties.
 */
export function forGitHub(diagnostics: readonly Diagnostic[]): string {
  return diagnostics.map(annotation).join('');
}

function annotation({ severity, rule, file, message, expected, remedy, ...range }: Diagnostic): string {
  const properties = {
    file,
    line: range.line,
    endLine: range.endLine,
    col: range.column,
    endColumn: range.endColumn,
    title: rule,
  };
  const text = Object.entries(properties).map(([name, value]) => `${name}=${escapeProperty(String(value))}`);
  const lines = [message, `expected: ${expected}`, `remedy: ${remedy}`];
  return `::${severity} ${text.join(',')}::${lines.map(escapeData).join(LINE_FEED)}\n`;
}

/** An escaped line feed, for the data of a command. */
const LINE_FEED = '%0A';

const escapeData = (text: string) => printable(text).replaceAll('%', '%25');
const escapeProperty = (text: string) => escapeData(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
