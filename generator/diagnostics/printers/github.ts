import type { Diagnostic } from '../diagnostic.js';
import { printable } from './printable.js';

/**
 * Diagnostics as commands of GitHub's workflow runner, which shows them at the line of a pull request. No text of a file, and
 * no file name, can end a command or its properties.
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
  const text = Object.entries(properties).map(([name, value]) => `${name}=${property(String(value))}`);
  const lines = [message, `expected: ${expected}`, `remedy: ${remedy}`];
  return `::${severity} ${text.join(',')}::${lines.map(data).join(LINE_FEED)}\n`;
}

/** A line feed within a command. */
const LINE_FEED = '%0A';

const data = (text: string) => printable(text).replaceAll('%', '%25');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
