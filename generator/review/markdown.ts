import type { Issuer } from '@passport-registry/verifier';
import type { Diagnostic } from '../diagnostics/diagnostic.js';
import { printable } from '../diagnostics/printers/printable.js';
import { type IssuerChange, weightiestFirst } from './difference.js';

/** Past this many rows a comment is no longer read, and at some length no longer accepted. */
const MAX_ROWS = 100;

/**
 * A change of records as a comment for a pull request. Whatever a record says stands in it as code, so that it can
 * neither format the comment, nor mention anybody, nor link anywhere.
 */
export function forMarkdown(
  changes: readonly IssuerChange[],
  issuers: ReadonlyMap<string, Issuer>,
  diagnostics: readonly Diagnostic[],
): string {
  const kinds = (['added', 'changed', 'removed'] as const).map(
    (kind) => `${changes.filter((change) => change.kind === kind).length} ${kind}`,
  );
  const lines = ['### Changes to issuers', '', `${kinds.join(', ')}.`, ''];
  const rows = changes.flatMap((change) => rowsOf(change, issuers));
  if (rows.length > 0)
    lines.push('| Issuer | What | Before | After |', '|---|---|---|---|', ...cut(rows), '');
  if (diagnostics.length > 0) {
    const items = diagnostics.map(
      ({ severity, file, line, column, rule, message, remedy }) =>
        `- **${severity}** ${code(rule)} at ${code(`${file}:${line}:${column}`)}: ${code(message)}. Remedy: ${code(remedy)}`,
    );
    lines.push('### Checks', '', ...cut(items), '');
  }
  return `${lines.join('\n')}\n`;
}

function rowsOf({ issuer_id, kind, fields }: IssuerChange, issuers: ReadonlyMap<string, Issuer>): string[] {
  const row = (...cells: string[]) => `| ${[code(issuer_id), ...cells].join(' | ')} |`;
  if (kind === 'removed') return [row('**removed**', '', '')];
  if (kind === 'added') {
    const { tier, status, jwks_uri } = issuers.get(issuer_id) ?? {};
    return [row('**new**', '', `${code(tier)}, ${code(status)}, keys at ${code(jwks_uri)}`)];
  }
  const heavy = (field: string) => (['status', 'tier'].includes(field) ? `**${field}**` : field);
  return weightiestFirst(fields).map(({ field, from, to }) => row(heavy(field), code(from), code(to)));
}

/** A value as code: in HTML, where no number of backticks ends it, and all that could be markup is written as a number. */
function code(value: unknown): string {
  if (value === undefined) return '';
  const text = printable(typeof value === 'string' ? value : JSON.stringify(value));
  const escaped = text.replaceAll(
    /[^A-Za-z0-9 ,;.()/?=+-]/gu,
    (character) => `&#${character.codePointAt(0)};`,
  );
  return `<code>${escaped}</code>`;
}

function cut(rows: readonly string[]): string[] {
  if (rows.length <= MAX_ROWS) return [...rows];
  const rest = rows.length - MAX_ROWS;
  const more = rows[0]?.startsWith('|') ? `| and ${rest} more | | | |` : `- and ${rest} more`;
  return [...rows.slice(0, MAX_ROWS), more];
}
