import { styleText } from 'node:util';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { printable } from '../../generator/diagnostics/printable.js';

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
