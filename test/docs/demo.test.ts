import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { ROOT } from '../support/paths.js';
import { run, temporaryFolder } from '../support/workspace.js';

/** Runs the demo with a temporary folder of its own, because another demo on this machine has files in the shared one. */
const demo = (TMPDIR: string, ...options: string[]) =>
  run(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', ...options, join(ROOT, 'build/sandbox/demo.js')],
    ROOT,
    { TMPDIR },
  );

it('npm run demo shows the whole flow, exits, and leaves no files behind', async () => {
  const folder = temporaryFolder();
  const { code, stdout } = await demo(folder);
  expect(stdout).toContain('Every step had the expected outcome.');
  expect(code).toBe(0);
  expect([...stdout.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number))).toEqual([
    1, 2, 3, 4, 5, 6, 7, 8,
  ]);
  expect(
    [...stdout.matchAll(/^ {3}(ALLOWED|REJECTED at \S+: [a-z-]+)/gm)].map(([, verdict]) => verdict),
  ).toEqual(['ALLOWED', 'REJECTED at scope: scope-not-granted', 'REJECTED at issuer: status-suspended']);
  expect(readdirSync(folder)).toEqual([]);
});

it('npm run demo ends with the step that fails, and leaves nothing behind', async () => {
  const [folder, programs] = [temporaryFolder(), temporaryFolder()];
  const broken = join(programs, 'no-agent.mjs');
  writeFileSync(broken, "crypto.subtle.generateKey = async () => { throw new Error('no more keys'); };\n");
  const { code, stdout } = await demo(folder, '--import', broken);
  expect([code, stdout]).toEqual([1, expect.stringMatching(/FAILED at step \d: no more keys/)]);
  expect(readdirSync(folder)).toEqual([]);
});
