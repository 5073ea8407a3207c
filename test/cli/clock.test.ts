import { beforeAll, describe, expect, it } from 'vitest';
import { cli, clockAhead, workspace, writeFiles } from '../support/workspace.js';

const YEAR = 365 * 24 * 60;
const KEY = ['--key', 'key.pem'];

let folder: string;
beforeAll(async () => {
  folder = await workspace(['alpha']);
  await cli(['build', ...KEY], folder);
  const { stdout } = await cli(['keys', 'public', 'key.pem'], folder);
  writeFiles(folder, { 'root.json': stdout, 'policy.json': '{"tiers":["certified"]}' });
});

const TRUST = ['--trust-anchor', 'root.json'];
const COMMANDS: Record<string, readonly string[]> = {
  verify: ['verify', 'dist', ...TRUST],
  resolve: ['resolve', 'alpha', 'dist', '--policy', 'policy.json', ...TRUST],
  build: ['build', ...KEY, '--out', 'new', '--updated-at', '2026-11-01T00:00:00Z'],
};

describe('a clock that is wrong', () => {
  it.each(Object.entries(COMMANDS))('54 years back is named by %s', async (_name, args) => {
    const { code, stdout, stderr } = await cli(args, folder, clockAhead(-54 * YEAR));
    expect(code).not.toBe(0);
    expect(stdout + stderr).toMatch(
      /in the future \(the clock of this machine says 19[67]\d-\d\d-\d\dT[\d:]+Z: check whether it is right\)/,
    );
  });

  it('far ahead is named where something has expired', async () => {
    const { code, stderr } = await cli(COMMANDS['resolve'] ?? [], folder, clockAhead(30 * YEAR));
    expect(code).not.toBe(0);
    expect(stderr).toMatch(/older than the maximum age.* \(the clock of this machine says 205\d-/);
  });
});
