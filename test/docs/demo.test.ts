import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { run, temporaryFolder } from '../support/workspace.js';

it('npm run demo shows the whole flow, exits, and leaves no files behind', async () => {
  const script = join(ROOT, 'build/sandbox/demo/demo.js');
  // Of its own, because another demonstration on this machine has files in the shared one.
  const TMPDIR = temporaryFolder();
  const { code, stdout } = await run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', script],
    ROOT,
    { TMPDIR },
  );
  expect(stdout).toContain('Every step had the expected outcome.');
  expect(code).toBe(0);
  expect([...stdout.matchAll(/^ *(\d+)\. /gm)].map(([, number]) => Number(number))).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17,
  ]);
  expect(
    [...stdout.matchAll(/^ {4}(ALLOWED|REJECTED at \S+: [a-z-]+)/gm)].map(([, verdict]) => verdict),
  ).toEqual([
    'ALLOWED',
    'REJECTED at scope: scope-not-granted',
    'REJECTED at status: passport-revoked',
    'ALLOWED',
    'REJECTED at issuer: status-suspended',
  ]);
  if (!stdout.includes('nginx is not installed')) {
    expect(stdout).toContain(
      'without a passport: 401 passport-missing\n    with one: 200 Passport-Issuer: playground',
    );
    expect(stdout).toContain('401 status-suspended');
  }
  expect(stdout).toMatch(/ALARM {3}log-forked/);
  expect(readdirSync(TMPDIR)).toEqual([]);
});
