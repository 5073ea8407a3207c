import { readFileSync } from 'node:fs';
import type { Diagnostic } from '../diagnostic.js';
import { hasRecordName } from '../record-name.js';
import { MAX_FILE_SIZE } from '../rules.js';
import { printable } from './printable.js';

/** Longest stretch of a source line that is shown, in characters. */
const WIDTH = 100;

const COLOURS = { error: 31, warning: 33, dim: 2, bold: 1 } as const;

type Paint = (style: keyof typeof COLOURS, text: string) => string;

const plain: Paint = (_style, text) => text;
const coloured: Paint = (style, text) => `\u001b[${COLOURS[style]}m${text}\u001b[0m`;

/**
 * Diagnostics for people: place, rule, what was found, the line of the file with a mark below it, what is expected, what
 * to do. No control character of a file reaches the terminal.
 *
 * @param colour - whether the terminal takes colours
 */
export function forTerminal(diagnostics: readonly Diagnostic[], colour: boolean): string {
  const paint = colour ? coloured : plain;
  const lines = new SourceLines();
  return diagnostics.map((diagnostic) => block(diagnostic, lines.of(diagnostic), paint)).join('');
}

function block(diagnostic: Diagnostic, source: string | undefined, paint: Paint): string {
  const { file, line, column, severity, rule, message, expected, remedy } = diagnostic;
  const place = paint('bold', printable(`${file}:${line}:${column}`));
  const head = `${place}: ${paint(severity, severity)} ${rule}: ${printable(message)}`;
  const excerpt = source === undefined ? [] : marked(diagnostic, source, paint);
  return [
    head,
    ...excerpt,
    `    expected: ${printable(expected)}`,
    `    remedy: ${printable(remedy)}`,
    '',
  ].join('\n');
}

/** The line of the file, and carets below what is meant. */
function marked(
  { line, column, endLine, endColumn, severity }: Diagnostic,
  source: string,
  paint: Paint,
): string[] {
  const start = column - 1;
  const end = endLine === line ? Math.max(endColumn - 1, column) : source.length;
  // A long line is cut so that the place is in it.
  const from = start < WIDTH - 20 ? 0 : start - 20;
  const shown = (text: string) => printable(text.replaceAll('\t', ' '));
  const before = `${from > 0 ? '...' : ''}${shown(source.slice(from, start))}`;
  const text = shown(source.slice(start, from + WIDTH));
  const length = Math.max(1, Math.min(text.length, shown(source.slice(start, end)).length));
  const gutter = ` ${line} | `;
  return [
    `${paint('dim', gutter)}${before}${text}${source.length > from + WIDTH ? '...' : ''}`,
    `${paint('dim', `${' '.repeat(gutter.length - 2)}| `)}${' '.repeat(before.length)}${paint(severity, '^'.repeat(length))}`,
  ];
}

/** Lines of the files that diagnostics speak of; none for a file that is not there, is no text, or is empty at that line. */
class SourceLines {
  readonly #files = new Map<string, string[]>();

  of({ file, line }: Diagnostic): string | undefined {
    let lines = this.#files.get(file);
    if (lines === undefined) {
      lines = linesOf(file);
      this.#files.set(file, lines);
    }
    return lines[line - 1]?.trim() ? lines[line - 1] : undefined;
  }
}

function linesOf(file: string): string[] {
  // What is no record may be anything that was named by mistake, a private key for one.
  if (!hasRecordName(file)) return [];
  try {
    const bytes = readFileSync(file);
    if (bytes.length > MAX_FILE_SIZE) return [];
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes).split(/\r?\n/);
  } catch {
    return [];
  }
}
