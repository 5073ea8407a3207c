import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { ORIGIN } from '../../support/test-log.js';
import { cli, goodCli, workspace, writeFiles } from '../../support/workspace.js';

let folder: string;
let host: string;

beforeAll(async () => {
  folder = await workspace(['alpha']);
  await goodCli(['keys', 'generate', '--no-passphrase', '--private', 'log.pem'], folder);
  await goodCli(['build', '--key', 'key.pem', ...withKeys({ log: 'log.pem', origin: ORIGIN })], folder);
  writeFiles(folder, {
    'root.json': readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'),
    'policy.json': '{"tiers":["certified"]}',
  });
  host = await serve(join(folder, 'dist'));
});

const TRUST = ['--trust-anchor', 'root.json'];

/** The commands whose report people ask for, and what the report of this registry contains. */
const REPORTS: Readonly<Record<string, readonly [args: () => string[], report: RegExp]>> = {
  status: [() => ['status', '--offline', '--root-key', 'root.json'], /^ok +list /m],
  verify: [() => ['verify', 'dist', ...TRUST], /^dist is valid$/m],
  resolve: [() => ['resolve', 'alpha', 'dist', '--policy', 'policy.json', ...TRUST], /^alpha is accepted /],
  check: [() => ['check'], /^1 file: 0 problems, 0 warnings$/m],
  diff: [() => ['diff', 'dist', ...TRUST], /^0 issuers changed: 0 problems, 0 warnings$/m],
  'mirror status': [() => ['mirror', 'status', host, host, ...TRUST], /^in sync /m],
  monitor: [() => ['monitor', host, ...TRUST], /^monitor \S+Z: .*, no alarm$/m],
};

describe.each(Object.entries(REPORTS))('the report of %s', (name, [args, report]) => {
  it('goes to stdout, and nothing to stderr', async () => {
    expect(await cli(args(), folder)).toEqual({
      code: 0,
      stdout: expect.stringMatching(report),
      stderr: '',
    });
  });

  it('goes to stderr with --json, unless it has no words then, and stdout has one JSON value', async () => {
    const { code, stdout, stderr } = await cli([...args(), '--json'], folder);
    expect([code, JSON.parse(stdout)]).toEqual([0, expect.any(Object)]);
    if (name === 'status') expect(stderr).toBe('');
    else expect(stderr).toMatch(report);
  });
});

describe('an error', () => {
  it('leads to the documents in its last line, and in its data', async () => {
    const args = ['mirror', host, 'copy'];
    const { code, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([2, expect.stringMatching(/\nSee docs\/mirrors\.md#[a-z-]+\n$/)]);
    const { error } = JSON.parse((await cli([...args, '--json'], folder)).stdout);
    expect(error).toMatchObject({ code: 'ERR_USAGE', see: expect.stringMatching(/^docs\/mirrors\.md#/) });
  });
});
