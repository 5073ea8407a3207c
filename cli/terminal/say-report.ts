import { heldByInWords } from '../../generator/tree/held-by.js';
import type { Check } from '../../generator/verification/checks.js';
import type { TreeReport } from '../../generator/verification/verify.js';
import { count, type Io, say } from './io.js';

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
