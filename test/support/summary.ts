import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Reporter, TestCase, TestModule } from 'vitest/node';
import { type RanTest, unheldClaims } from './claims.js';
import { ROOT } from './paths.js';

/** Why a suite is skipped, in its title (test/support/components.ts). */
const REASON = /\[([^\]]+)\]/;
/** The title of a suite that lacks a program. */
const LACKS = / is not installed\]/;

/**
 * Prints which tests are skipped, and writes the totals to test-results/summary.txt. With `REQUIRE_COMPONENTS=1`, a test
 * that is skipped for want of a component counts as a failure.
 */
export default class Summary implements Reporter {
  onTestRunEnd(modules: readonly TestModule[], errors: readonly unknown[]): void {
    const tests = modules.flatMap((module) => [...module.children.allTests()]);
    const inState = (state: string) => tests.filter((test) => test.result().state === state);
    const skipped = inState('skipped');
    for (const line of linesOf(skipped)) process.stderr.write(`${line}\n`);
    const required = process.env['REQUIRE_COMPONENTS'] === '1';
    // Data beside the checkout are no component: the others are counted as such.
    const lacking = required ? skipped.filter(({ options }) => options.mode !== 'todo').length : 0;
    const unstarted = modules.filter((module) => module.errors().length > 0).length;
    const isChosenByName = modules.some(({ project }) => project.config.testNamePattern !== undefined);
    const unheld = unheldClaims(tests.map(ranTest), isChosenByName ? undefined : testFiles());
    for (const claim of unheld) process.stderr.write(`a claim without a test: ${claim}\n`);
    const failed = inState('failed').length + unstarted + errors.length + unheld.length + lacking;
    if (failed > 0) process.exitCode = 1;
    mkdirSync(join(ROOT, 'test-results'), { recursive: true });
    writeFileSync(
      join(ROOT, 'test-results', 'summary.txt'),
      `${inState('passed').length} passed, ${failed} failed${skipped.length > lacking ? `, ${skipped.length - lacking} skipped` : ''}\n`,
    );
  }
}

function ranTest(test: TestCase): RanTest {
  const file = test.module.relativeModuleId.replace(/^test\//, '').replace(/\.test\.ts$/, '');
  const name = test.fullName;
  const { state } = test.result();
  const lacks = state === 'skipped' && LACKS.test(name);
  return { file, name, state: lacks ? 'lacks a program' : state === 'pending' ? 'skipped' : state };
}

/** Returns all test files, below `test/` and without `.test.ts`. */
function testFiles(): string[] {
  return readdirSync(join(ROOT, 'test'), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.test.ts'))
    .map((path) => path.replace(/\.test\.ts$/, ''));
}

/** A line for each file and reason, and one for each test without a reason. */
function linesOf(skipped: readonly TestCase[]): string[] {
  const counts = new Map<string, number>();
  for (const test of skipped) {
    const reason = REASON.exec(test.fullName)?.[1] ?? test.fullName;
    const line = `skipped: ${test.module.relativeModuleId}: ${reason}`;
    counts.set(line, (counts.get(line) ?? 0) + 1);
  }
  return [...counts].map(([line, count]) => `${line} (${count === 1 ? '1 test' : `${count} tests`})`);
}
