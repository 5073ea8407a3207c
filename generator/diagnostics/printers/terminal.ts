import type { Diagnostic } from '../diagnostic.js';
import { printable } from './printable.js';

const COLOURS = { error: 31, warning: 33, dim: 2, bold: 1 } as const;

/** A piece of a line, and how it looks. */
type Piece = string | readonly [style: keyof typeof COLOURS, text: string];

/**
 * Diagnostics for people: place, rule, what was found, the line of the file with a mark below it, what is expected, what
 * to do.
 *
 * @param colour - whether the terminal takes colours
 */
export function forTerminal(diagnostics: readonly Diagnostic[], colour: boolean): string {
  return diagnostics
    .flatMap(linesOf)
    .map((pieces) => `${written(pieces, colour)}\n`)
    .join('');
}

/** All text that leaves this printer goes through here. */
function written(pieces: readonly Piece[], colour: boolean): string {
  return pieces
    .map((piece) => {
      const [style, text] = typeof piece === 'string' ? [undefined, piece] : piece;
      // A tab is as wide as it likes; a space keeps the marks below their text.
      const shown = printable(text.replaceAll('\t', ' '));
      return colour && style !== undefined ? `\u001b[${COLOURS[style]}m${shown}\u001b[0m` : shown;
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

/** The line of the file, and carets below what is meant. */
function excerptLines({ line, severity, excerpt }: Diagnostic): Piece[][] {
  if (excerpt === undefined) return [];
  const { before, marked, after } = excerpt;
  const gutter = ` ${line} | `;
  // As wide as what is printed, which can be longer than what was read.
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
