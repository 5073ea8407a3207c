import type { Diagnostic } from '../diagnostic.js';
import { printable } from './printable.js';

/**
 * Diagnostics as commands of GitHub's workflow runner, which shows them at the line of a pull request. A file's text can
 * end neither the command nor its properties.
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
  return `::${severity} ${text.join(',')}::${data(`${message}\nexpected: ${expected}\nremedy: ${remedy}`)}\n`;
}

const data = (text: string) =>
  printable(text).replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
const property = (text: string) => data(text).replaceAll(':', '%3A').replaceAll(',', '%2C');
