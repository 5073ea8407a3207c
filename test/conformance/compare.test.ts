import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { temporaryFolder, writeFiles } from '../support/workspace.js';

const COMPARE = join(ROOT, 'conformance/compare.mjs');

function compare(...files: string[]) {
  try {
    return { code: 0, stdout: execFileSync(process.execPath, [COMPARE, ...files]).toString() };
  } catch (error) {
    const { status, stdout } = error as { status: number; stdout: Buffer };
    return { code: status, stdout: stdout.toString() };
  }
}

it('compare finds every difference, and groups them by verdict and code', () => {
  const folder = temporaryFolder();
  const line = (more: object) =>
    `${JSON.stringify({ case: 'a', step: 0, verdict: 'refuse', code: 'ERR_X', more: 1, ...more })}\n`;
  writeFiles(folder, {
    before: line({}) + line({ case: 'b' }) + line({ case: 'c' }),
    after:
      line({}) + line({ case: 'b', code: ['ERR_Y'] }) + line({ case: 'c', more: 2 }) + line({ case: 'd' }),
  });
  const [before, after] = [join(folder, 'before'), join(folder, 'after')];
  expect(compare(before, before)).toEqual({ code: 0, stdout: '0 differences in 3 and 3 verdicts\n' });
  const { code, stdout } = compare(before, after);
  expect(code).toBe(1);
  expect(stdout).toMatch(/refuse ERR_X -> refuse ERR_Y: 1\n {2}b \(step 0\)/);
  expect(stdout).toMatch(/refuse ERR_X, with other facts: 1\n {2}c/);
  expect(stdout).toMatch(/nothing -> refuse ERR_X: 1\n {2}d/);
  expect(stdout).toContain('3 differences in 3 and 4 verdicts');
});
