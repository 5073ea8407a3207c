import { printable, printableJson } from '../../generator/diagnostics/printers/printable.js';
import { heldByInWords } from '../../generator/tree/held-by.js';
import type { Check, TreeReport } from '../../generator/verification/verify.js';
import type { Io } from './io.js';

/** Prints a line for people, on stderr. */
export function say({ stderr }: Io, text: string): void {
  stderr.write(`${printable(text)}\n`);
}

/** Prints text with several lines, on stderr. */
export function sayLines(io: Io, text: string): void {
  for (const line of text.trimEnd().split('\n')) say(io, line);
}

/** Prints data as JSON, on stdout. */
export function emit({ stdout }: Io, data: unknown): void {
  stdout.write(`${printableJson(data)}\n`);
}

/** Formats a number with a noun: `1 record`, `2 records`. */
export function count(number: number, noun: string, nouns = `${noun}s`): string {
  return `${grouped(number)} ${number === 1 ? noun : nouns}`;
}

/** Formats a number: `100,000`. Does not use `Intl`, which takes 20 milliseconds to load. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
}

const MARKS = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const;
const MAX_PROBLEMS = 10;

/** Prints the report of a verification for people. */
export function sayReport(io: Io, report: TreeReport): void {
  // Of a host that does not respond, the one check that failed says everything.
  for (const check of report.checks)
    if (!report.unreachable || check.result !== 'skipped') sayCheck(io, check);
  if (report.sha256 !== undefined) say(io, `sha256     ${report.sha256}`);
  if (report.updatedAt !== undefined)
    say(io, `updated_at ${report.updatedAt}, ${count(report.issuers ?? 0, 'issuer')}`);
  if (report.rootKey !== undefined)
    say(io, `root key   ${report.rootKey} (${report.pinned ? 'pinned' : "the tree's own"})`);
  if (report.holders !== undefined) say(io, heldByInWords(report.holders));
  if (report.rotatedFrom !== undefined) {
    say(io, `note: the pinned key ${report.rotatedFrom} was rotated to ${report.rootKey}`);
  }
  if (report.hold !== undefined && report.hold.length > 0) {
    say(
      io,
      `note: the checkpoint holds ${report.hold.join(', ')}: verifiers treat held issuers as suspended`,
    );
  }
  for (const warning of report.warnings) say(io, `WARNING: ${warning}`);
  for (const { message } of report.notes) say(io, `note: ${message}`);
}

function sayCheck(io: Io, { name, result, problems }: Check): void {
  say(io, `${MARKS[result]} ${name}${result === 'skipped' ? `: ${problems.join()}` : ''}`);
  if (result !== 'failed') return;
  for (const problem of problems.slice(0, MAX_PROBLEMS)) say(io, `        ${problem}`);
  if (problems.length > MAX_PROBLEMS) say(io, `        and ${problems.length - MAX_PROBLEMS} more`);
}
