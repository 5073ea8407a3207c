import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { GOLDEN_NAMES } from '../../build/conformance/cases/goldens.js';
import { type Case, ROLES } from '../../build/conformance/cases/index.js';
import { type RecordedVerdict, recordCase } from '../../build/conformance/record-case.js';
import { enterWorld } from '../../build/conformance/roles/world.js';
import { allOf } from '../support/cases.js';
import { ROOT } from '../support/paths.js';
import { temporaryFolder, writeFiles } from '../support/workspace.js';

const COMPARE = join(ROOT, 'conformance/compare.mjs');

/** Kinds whose cases are made in no time. */
const QUICK_KINDS = ['byte', 'file', 'signature', 'note', 'lines', 'host', 'clock'];

describe('the recorder', () => {
  let leave: () => void = () => undefined;
  beforeAll(() => {
    leave = enterWorld();
  });
  afterAll(() => leave());

  it.each(GOLDEN_NAMES)('all roles accept the golden tree %s', async (name) => {
    const [one] = (await allOf(`golden/${name}`)).filter(({ id }) => id === `golden/${name}`);
    const verdicts = await recordCase(one as Case);
    expect(verdicts.map(({ role }) => role)).toEqual(one?.roles);
    expect(verdicts.filter(({ verdict }) => verdict !== 'accept')).toEqual([]);
  });

  it('says the same of a sample of all kinds twice, and never crashes', async () => {
    const every = 2400;
    const made = (await Promise.all([...QUICK_KINDS, 'claim', 'record', 'trap', 'forged'].map(allOf))).flat();
    const sample = made.filter((one, at) => at % every === 0 && !one.id.endsWith('never'));
    const record = async () => {
      const verdicts: RecordedVerdict[] = [];
      for (const one of sample) verdicts.push(...(await recordCase(one)));
      return verdicts;
    };
    const verdicts = await record();
    expect(new Set(verdicts.map(({ role }) => role))).toEqual(new Set(ROLES));
    expect(verdicts.filter(({ verdict }) => verdict === 'crash')).toEqual([]);
    expect(await record()).toEqual(verdicts);
  });

  it('remembers from step to step what each role must remember', async () => {
    const [one] = await allOf('memory/stated/an older list');
    const verdicts = await recordCase(one as Case);
    const said = (role: string) => verdicts.filter((line) => line.role === role).map(({ code }) => code);
    // The first tree is the newer one. Who remembers refuses the second, and accepts the first one again.
    expect(said('client')).toEqual(['', 'ERR_PUBLICATION_ROLLED_BACK', '']);
    expect(said('lookup')).toEqual(['', 'ERR_PUBLICATION_ROLLED_BACK', '']);
    expect(said('mirror').map((code) => code !== '')).toEqual([false, true, false]);
    expect(said('copy')).toEqual(['', '', '']);
    expect(said('auditor')).toEqual(['', '', '']);
  });
});

describe('compare', () => {
  const run = (...files: string[]) => {
    try {
      return { code: 0, stdout: execFileSync(process.execPath, [COMPARE, ...files]).toString() };
    } catch (error) {
      const { status, stdout } = error as { status: number; stdout: Buffer };
      return { code: status, stdout: stdout.toString() };
    }
  };

  it('finds every difference, and groups them by role and code', () => {
    const folder = temporaryFolder();
    const line = (more: object) =>
      `${JSON.stringify({ id: 'a', role: 'copy', step: 0, verdict: 'refuse', code: 'ERR_X', more: 1, ...more })}\n`;
    writeFiles(folder, {
      before: line({}) + line({ id: 'b' }) + line({ id: 'c' }),
      after: line({}) + line({ id: 'b', code: 'ERR_Y' }) + line({ id: 'c', more: 2 }) + line({ id: 'd' }),
    });
    const [before, after] = [join(folder, 'before'), join(folder, 'after')];
    expect(run(before, before)).toEqual({ code: 0, stdout: '0 differences in 3 and 3 verdicts\n' });
    const { code, stdout } = run(before, after);
    expect(code).toBe(1);
    expect(stdout).toMatch(/copy: refuse ERR_X -> refuse ERR_Y: 1\n {2}b \(step 0\)/);
    expect(stdout).toMatch(/copy: refuse ERR_X, with other facts: 1\n {2}c/);
    expect(stdout).toMatch(/copy: nothing -> refuse ERR_X: 1\n {2}d/);
    expect(stdout).toContain('3 differences in 3 and 4 verdicts');
  });
});
