import type { Diagnostic } from '../../generator/diagnostics/diagnostic.js';
import { printable } from '../../generator/diagnostics/printable.js';
import {
  type Compared,
  type Comparison,
  type IssuerChange,
  weightiestFirst,
} from '../../generator/review/difference.js';

/** Nobody reads a longer comment, and GitHub limits the length of comments. */
const MAX_ROWS = 100;

/**
 * Formats a change of records as a comment on a pull request. Every value of a record is formatted as code, so that a
 * record can't change the layout of the comment, mention people or insert links.
 */
export function forMarkdown(
  { changes, notCompared }: Comparison,
  after: Compared,
  diagnostics: readonly Diagnostic[],
): string {
  const kinds = (['added', 'changed', 'removed'] as const).map(
    (kind) => `${changes.filter((change) => change.kind === kind).length} ${kind}`,
  );
  const invalid = notCompared.length === 0 ? '' : ` ${notCompared.length} invalid, and not compared.`;
  const lines = ['### Changes to issuers', '', `${kinds.join(', ')}.${invalid}`, ''];
  const rows = changes.flatMap((change) => rowsOf(change, after));
  if (rows.length > 0)
    lines.push('| Issuer | What | Before | After |', '|---|---|---|---|', ...truncate(rows), '');
  if (diagnostics.length > 0) {
    const items = diagnostics.map(
      ({ severity, file, line, column, rule, message, remedy }) =>
        `- **${severity}** ${formatCode(rule)} at ${formatCode(`${file}:${line}:${column}`)}: ${formatCode(message)}. Remedy: ${formatCode(remedy)}`,
    );
    lines.push('### Checks', '', ...truncate(items), '');
  }
  return `${lines.join('\n')}\n`;
}

function rowsOf({ issuer_id, kind, fields }: IssuerChange, { issuers, about }: Compared): string[] {
  const row = (...cells: string[]) => `| ${[formatCode(issuer_id), ...cells].join(' | ')} |`;
  if (kind === 'removed') return [row('**removed**', '', '')];
  if (kind === 'added') {
    const { tier, status, jwks_uri } = issuers.get(issuer_id) ?? {};
    const { name, status_reason } = about?.get(issuer_id) ?? {};
    const named = name === undefined ? '' : `, name ${formatCode(name)}`;
    const reason = status_reason === undefined ? '' : `, status_reason ${formatCode(status_reason)}`;
    const what = `${formatCode(tier)}, ${formatCode(status)}, keys at ${formatCode(jwks_uri)}`;
    return [row('**new**', '', `${what}${named}${reason}`)];
  }
  const emphasize = (field: string) => (['status', 'tier'].includes(field) ? `**${field}**` : field);
  return weightiestFirst(fields).map(({ field, from, to }) =>
    row(emphasize(field), formatCode(from), formatCode(to)),
  );
}

/**
 * Formats a value as HTML code, which backticks can't end. Characters that could be markup become numeric references.
 */
function formatCode(value: unknown): string {
  if (value === undefined) return '';
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  const escaped = text.replaceAll(
    /[^A-Za-z0-9 ,;.()/?=+-]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );
  return `<code>${escaped}</code>`;
}

function truncate(rows: readonly string[]): string[] {
  if (rows.length <= MAX_ROWS) return [...rows];
  const rest = rows.length - MAX_ROWS;
  const more = rows[0]?.startsWith('|') ? `| and ${rest} more | | | |` : `- and ${rest} more`;
  return [...rows.slice(0, MAX_ROWS), more];
}
