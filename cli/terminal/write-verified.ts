import type { ConformanceReport } from '../../generator/verification/check-host.js';
import type { Check } from '../../generator/verification/checks.js';
import type { TreeReport } from '../../generator/verification/verify.js';
import { count, type Output, writeLine } from './io.js';

/** Prints a table of the checks, with the expected result of each check that failed. */
export function writeConformance(output: Output, { answers }: ConformanceReport): void {
  const width = (column: 'check' | 'path') => Math.max(...answers.map((answer) => answer[column].length));
  const checks = width('check');
  const paths = width('path');
  for (const { demand, check, path, result, found, expected } of answers) {
    const line = `${check.padEnd(checks)} ${path.padEnd(paths)} ${found}`;
    if (result === 'passed') writeLine(output, `ok      ${line}`);
    else if (demand === 'required') writeLine(output, `FAILED  ${line}, expected ${expected}`);
    else writeLine(output, `warning ${line}, expected ${expected}`);
  }
}

const MARKS = { passed: 'ok     ', failed: 'FAILED ', skipped: 'skipped' } as const;
const MAX_PROBLEMS = 10;

/** Prints the report of a verification for people. */
export function writeReport(output: Output, report: TreeReport): void {
  // Of a host that does not respond, the one check that failed says everything.
  for (const check of report.checks)
    if (!report.unreachable || check.result !== 'skipped') writeCheck(output, check);
  if (report.sha256 !== undefined) writeLine(output, `sha256     ${report.sha256}`);
  if (report.updatedAt !== undefined)
    writeLine(output, `updated_at ${report.updatedAt}, ${count(report.issuers ?? 0, 'issuer')}`);
  if (report.rootKey !== undefined)
    writeLine(output, `root key   ${report.rootKey} (${report.pinned ? 'pinned' : "the tree's own"})`);
  if (report.rotatedFrom !== undefined) {
    writeLine(output, `note: the pinned key ${report.rotatedFrom} was rotated to ${report.rootKey}`);
  }
  if (report.hold !== undefined && report.hold.length > 0) {
    writeLine(
      output,
      `note: the checkpoint holds ${report.hold.join(', ')}: verifiers treat held issuers as suspended`,
    );
  }
  for (const warning of report.warnings) writeLine(output, `WARNING: ${warning}`);
  for (const { message } of report.notes) writeLine(output, `note: ${message}`);
  if (!report.pinned) {
    writeLine(
      output,
      "note: without --trust-anchor, the tree's own key was used: the tree is consistent, but anybody can have made it",
    );
  }
  if (report.development)
    writeLine(output, 'note: a development key signed this tree, which is not for production');
}

function writeCheck(output: Output, { name, result, problems }: Check): void {
  writeLine(output, `${MARKS[result]} ${name}${result === 'skipped' ? `: ${problems.join()}` : ''}`);
  if (result !== 'failed') return;
  for (const problem of problems.slice(0, MAX_PROBLEMS)) writeLine(output, `        ${problem}`);
  if (problems.length > MAX_PROBLEMS) writeLine(output, `        and ${problems.length - MAX_PROBLEMS} more`);
}
