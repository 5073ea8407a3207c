import { styleText } from 'node:util';
import type { Diagnostic } from '../diagnostic.js';
import { printable } from './printable.js';

const STYLES = { error: 'red', warning: 'yellow', dim: 'dim', bold: 'bold' } as const;

/** A piece of a line, and how it looks. */
type Piece = string | readonly [style: keyof typeof STYLES, text: string];

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
      if (!colour || style === undefined) return shown;
      // The caller has looked at the terminal; styleText would look at another stream.
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
