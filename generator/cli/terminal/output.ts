import { printable, printableJson } from '../../diagnostics/printers/printable.js';
import type { Check, TreeReport } from '../../verification/verify.js';

/** A line for people, on stderr. */
export function say(text = ''): void {
  process.stderr.write(`${printable(text)}\n`);
}

/** Text of this program that has lines of its own. */
export function sayLines(text: string): void {
  for (const line of text.trimEnd().split('\n')) say(line);
}

/** Data, on stdout. */
export function emit(data: unknown): void {
  process.stdout.write(`${printableJson(data)}\n`);
}

/** `1 record`, `2 records`. */
export function count(number: number, noun: string): string {
  return `${grouped(number)} ${noun}${number === 1 ? '' : 's'}`;
}

/** `100,000`. Without `Intl`, which takes 20 milliseconds to wake up. */
export function grouped(number: number): string {
  return String(number).replace(/\B(?=(?:\d{3})+$)/g, ',');
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
  if (report.rotatedFrom !== undefined) {
    say(`note: the pinned key ${report.rotatedFrom} was rotated to ${report.rootKey}`);
  }
  for (const warning of report.warnings) say(`WARNING: ${warning}`);
}

function sayCheck({ name, result, problems }: Check): void {
  say(`${MARKS[result]} ${name}${result === 'skipped' ? `: ${problems.join()}` : ''}`);
  if (result !== 'failed') return;
  for (const problem of problems.slice(0, MAX_PROBLEMS)) say(`        ${problem}`);
  if (problems.length > MAX_PROBLEMS) say(`        and ${problems.length - MAX_PROBLEMS} more`);
}
