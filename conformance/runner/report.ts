import type { CaseResult, Outcome, RunResult } from './run.js';
import { escaped } from './shown.js';

/** What is told of a run. */
export interface Report extends RunResult {
  readonly role: string;
  /** The version of the cases. */
  readonly kit: string;
}

const OUTCOMES: readonly Outcome[] = ['passed', 'failed', 'surprise', 'expected', 'skipped'];

/** Whether the program passes: nothing failed, and nothing that is listed has passed. */
export const passes = ({ results }: RunResult): boolean =>
  results.every(({ outcome }) => outcome !== 'failed' && outcome !== 'surprise');

/** Counts the outcomes of some cases, and the codes. */
function countsOf(results: readonly CaseResult[]) {
  const counts = OUTCOMES.map((outcome) => results.filter((one) => one.outcome === outcome).length);
  const [right, all] = [0, 1].map((at) => results.reduce((sum, { codes }) => sum + (codes[at] ?? 0), 0));
  return { counts, right, all };
}

/** The result for programs. */
export function jsonReport({ role, kit, program, results }: Report): string {
  const { counts, right, all } = countsOf(results);
  const totals = Object.fromEntries(OUTCOMES.map((outcome, at) => [outcome, counts[at]]));
  return escaped(
    JSON.stringify({ ...{ kit, role, program, totals, codes: { right, all } }, cases: results }),
  );
}

const topicOf = ({ id }: CaseResult) => id.split('/')[1] ?? '';

/** A table for people, by topic, and every failure. */
export function tableOf(report: Report): string {
  const { role, program, results } = report;
  const topics = [...new Set(results.map(topicOf))];
  const heads = [role, ...OUTCOMES, 'codes'];
  const row = (name: string, of: readonly CaseResult[]) => {
    const { counts, right, all } = countsOf(of);
    return [name, ...counts.map(String), `${right}/${all}`];
  };
  const rows = topics.map((topic) =>
    row(
      topic,
      results.filter((one) => topicOf(one) === topic),
    ),
  );
  const table = [heads, ...rows, row('all', results)];
  const widths = heads.map((_head, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  const lines = table.map((cells) =>
    cells
      .map((cell, at) => (at === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  '),
  );
  return [
    ...failuresOf(results),
    '',
    ...lines,
    '',
    `${program.name}: ${passes(report) ? 'passes' : 'fails'}`,
    '',
  ].join('\n');
}

/** How many different failures, and how many cases of one, are told. The JSON has all. */
const TOLD_FAILURES = 30;
const TOLD_CASES = 5;

/** Every failure in words, with the cases that have it; and the codes that are others than those of the protocol. */
function failuresOf(results: readonly CaseResult[]): string[] {
  const found = new Map<string, string[]>();
  for (const { id, rule, outcome, message, otherCodes } of results) {
    const what = {
      ...{ failed: `failed: ${message}`, surprise: 'passes, but is listed as a failure' },
      ...{ passed: otherCodes && `another code: ${otherCodes}`, expected: undefined, skipped: undefined },
    }[outcome];
    if (what !== undefined)
      found.set(what, [...(found.get(what) ?? []), `  ${id}  (rule ${rule} of the protocol)`]);
  }
  const told = [...found].slice(0, TOLD_FAILURES).flatMap(([what, cases]) => {
    const more = cases.length - TOLD_CASES;
    return [what, ...cases.slice(0, TOLD_CASES), ...(more > 0 ? [`  and ${more} more`] : [])];
  });
  const more = found.size - TOLD_FAILURES;
  return more > 0 ? [...told, `and ${more} other faults: the JSON has all`] : told;
}

const ESCAPES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' };

/** Text for an XML attribute. Control characters do not exist in XML. */
const escapedXml = (text: string) =>
  text.replaceAll(/\p{Cc}|\p{Cs}|\p{Cn}/gu, '?').replaceAll(/[&<>"]/g, (one) => ESCAPES[one] ?? '');

/** The result in the format that servers for tests read. */
export function junitReport({ role, program, results }: Report): string {
  const cases = results.map(({ id, outcome, message = '', seconds }) => {
    const open = `<testcase classname="${role}.${topicOf({ id } as CaseResult)}" name="${escapedXml(id)}" time="${seconds}"`;
    if (outcome === 'failed') return `${open}><failure message="${escapedXml(message)}"/></testcase>`;
    if (outcome === 'surprise')
      return `${open}><failure message="passes, but is listed as a failure"/></testcase>`;
    if (outcome === 'passed') return `${open}/>`;
    return `${open}><skipped message="${escapedXml(message)}"/></testcase>`;
  });
  const failed = results.filter(({ outcome }) => outcome === 'failed' || outcome === 'surprise').length;
  return `<?xml version="1.0" encoding="UTF-8"?>\n<testsuite name="${escapedXml(`${program.name} as ${role}`)}" tests="${results.length}" failures="${failed}">\n${cases.join('\n')}\n</testsuite>\n`;
}
