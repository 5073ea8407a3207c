import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { KIT_VERSION } from '../../build/conformance/kit/index.js';
import { ROOT } from '../support/paths.js';
import { temporaryFolder } from '../support/workspace.js';

const FOLDER = join(ROOT, 'conformance');
const { version, files } = JSON.parse(readFileSync(join(FOLDER, 'package.json'), 'utf8')) as {
  version: string;
  files: string[];
};
const OURS = [process.execPath, join(ROOT, 'build/conformance/ours.js')];

/** A step of a composite action. */
interface Step {
  readonly env: Readonly<Record<string, string>>;
  readonly run: string;
}

describe('the package @passport-registry/conformance', () => {
  it('has one version, and a change log that begins with it', () => {
    const changes = readFileSync(join(FOLDER, 'CHANGELOG.md'), 'utf8');
    expect(/^## (.*)$/m.exec(changes)?.[1]).toBe(version);
    expect(KIT_VERSION).toBe(version);
    expect(files.filter((file) => file !== 'conformance.js' && !existsSync(join(FOLDER, file)))).toEqual([]);
  });

  it('is one file that runs anywhere', () => {
    const folder = temporaryFolder();
    const command = join(folder, 'conformance.mjs');
    execFileSync(process.execPath, [join(FOLDER, 'pack.mjs'), command]);
    const args = [command, 'run', '--role', 'log', '--start', '--', ...OURS];
    const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' });
    expect(stderr).toContain('passport-registry: passes');
    expect(status).toBe(0);
  });
});

describe('the action conformance', () => {
  it('runs the cases of its own commit', () => {
    const folder = temporaryFolder();
    const text = readFileSync(join(ROOT, '.github/actions/conformance/action.yml'), 'utf8');
    const { runs } = parse(text) as { runs: { steps: readonly Step[] } };
    const [make, { run, env }] = runs.steps as [Step, Step];
    expect(make.run).toContain('npm ci\n');
    // No input becomes a part of the script.
    expect(run).not.toContain('${{');
    expect(Object.keys(env)).toEqual(['ROLE', 'PROGRAM', 'XFAILS', 'START']);
    const values = {
      ROLE: 'log',
      PROGRAM: OURS.join(' '),
      XFAILS: '',
      START: 'true',
    };
    const { status, stdout } = spawnSync('bash', ['-e', '-c', run], {
      encoding: 'utf8',
      env: {
        PATH: process.env['PATH'],
        GITHUB_ACTION_PATH: join(ROOT, '.github/actions/conformance'),
        RUNNER_TEMP: folder,
        TMPDIR: folder,
        ...values,
        GITHUB_OUTPUT: join(folder, 'output'),
        GITHUB_STEP_SUMMARY: join(folder, 'summary'),
      },
    });
    expect(stdout).toContain('passport-registry: passes');
    expect(status).toBe(0);
    expect(readFileSync(join(folder, 'summary'), 'utf8')).toMatch(/^```text\n/);
    const result = readFileSync(
      readFileSync(join(folder, 'output'), 'utf8').trim().replace('result=', ''),
      'utf8',
    );
    expect(JSON.parse(result)).toMatchObject({
      role: 'log',
      kit: version,
      totals: { passed: 40, failed: 0 },
    });
  });
});
