import type { Diagnostic } from '../diagnostic.js';
import type { Check, TreeReport } from '../verify.js';

/** Words for people, on stderr. */
export function say(text = ''): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Data, on stdout. */
export function emit(data: unknown): void {
  process.stdout.write(`${JSON.stringify(data, undefined, 2)}\n`);
}

/** Records and file names come from strangers: no control character of theirs may reach a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}]/gu, (character) =>
    character === '\n' ? character : `\\u${(character.codePointAt(0) ?? 0).toString(16).padStart(4, '0')}`,
  );
}

/** Diagnostics as people read them: place, rule, what was found, what is expected, what to do. */
export function sayDiagnostics(diagnostics: readonly Diagnostic[]): void {
  for (const { file, line, column, severity, rule, message, expected, remedy } of diagnostics) {
    say(`${file}:${line}:${column}: ${severity} ${rule}: ${message}`);
    say(`    expected: ${expected}`);
    say(`    remedy: ${remedy}`);
  }
}

/** `1 record`, `2 records`. */
export function count(number: number, noun: string): string {
  return `${number.toLocaleString('en-US')} ${noun}${number === 1 ? '' : 's'}`;
}

const MARKS = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const;
const MAX_PROBLEMS = 10;

/** The report of a verification as people read it. */
export function sayReport(report: TreeReport): void {
  for (const check of report.checks) sayCheck(check);
  if (report.sha256 !== undefined) say(`sha256     ${report.sha256}`);
  if (report.updatedAt !== undefined)
    say(`updated_at ${report.updatedAt}, ${count(report.issuers ?? 0, 'issuer')}`);
  if (report.rootKey !== undefined)
    say(`root key   ${report.rootKey} (${report.pinned ? 'pinned' : "the tree's own"})`);
  for (const warning of report.warnings) say(`WARNING: ${warning}`);
}

function sayCheck({ name, result, problems }: Check): void {
  say(`${MARKS[result]} ${name}${result === 'skipped' ? `: ${problems.join()}` : ''}`);
  if (result !== 'failed') return;
  for (const problem of problems.slice(0, MAX_PROBLEMS)) say(`        ${problem}`);
  if (problems.length > MAX_PROBLEMS) say(`        and ${problems.length - MAX_PROBLEMS} more`);
}
