import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { printable } from '../../generator/diagnostics/printable.js';

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
