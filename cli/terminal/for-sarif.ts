import type { Log } from 'sarif';
import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { printable } from '../../generator/diagnostics/printable.js';
import { RULES } from '../../generator/diagnostics/rules.js';

/** Formats diagnostics as a SARIF 2.1.0 log, for code scanning services and editors. */
export function forSarif(diagnostics: readonly Diagnostic[]): Log {
  const used = [...new Set(diagnostics.map(({ rule }) => rule))];
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        // Columns count UTF-16 code units, which is also the default of SARIF.
        columnKind: 'utf16CodeUnits',
        tool: {
          driver: {
            name: 'passport-registry',
            rules: used.map((id) => ({
              id,
              shortDescription: { text: RULES[id].expected },
              help: { text: RULES[id].remedy },
              defaultConfiguration: { level: RULES[id].severity },
            })),
          },
        },
        results: diagnostics.map(({ rule, severity, file, message, expected, remedy, ...range }) => ({
          ruleId: rule,
          ruleIndex: used.indexOf(rule),
          level: severity,
          message: { text: printable(`${message}. Expected: ${expected}. Remedy: ${remedy}.`) },
          locations: [
            {
              physicalLocation: {
                artifactLocation: { uri: toUriReference(file) },
                region: {
                  startLine: range.line,
                  startColumn: range.column,
                  endLine: range.endLine,
                  endColumn: range.endColumn,
                },
              },
            },
          ],
        })),
      },
    ],
  };
}

/** Converts a path to a URI reference. URIs cannot encode lone surrogates, so U+FFFD replaces them. */
function toUriReference(file: string): string {
  return file
    .replaceAll(/\p{Cs}/gu, '\ufffd')
    .split('/')
    .map(encodeURIComponent)
    .join('/');
}
