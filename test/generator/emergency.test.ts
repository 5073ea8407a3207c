import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { join } from 'node:path';
import { createRegistryClient } from '@passport-registry/verifier';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { COMMENTED_RECORD } from '../support/commented-record.js';
import { expectCommandError } from '../support/expect-command-error.js';
import { copyOf } from '../support/made-once.js';
import { CLI } from '../support/paths.js';
import { serve } from '../support/serving.js';
import { until } from '../support/until.js';
import { cleanEnvironment, cli, keyedWorkspace, run, writeFiles } from '../support/workspace.js';

let made: string;
let folder: string;
const record = () => readFileSync(join(folder, 'issuers/europe/gamma.yaml'), 'utf8');
const command = (...args: string[]) => cli([...args, '--key', 'key.pem', '--production'], folder);

beforeAll(async () => {
  made = folder = await keyedWorkspace(['alpha', 'beta']);
  writeFiles(folder, { 'issuers/europe/gamma.yaml': COMMENTED_RECORD });
  expect((await command('build')).code).toBe(0);
});
beforeEach(() => {
  folder = copyOf(made);
});

describe('an emergency', () => {
  it('is over for verifiers after one command: the record is edited in place, and the tree signed', async () => {
    const base = await serve(join(folder, 'dist'));
    const rootKey = JSON.parse(readFileSync(join(folder, 'dist/keys/root.json'), 'utf8'));
    const registry = createRegistryClient({ sources: [base], rootKey });
    await registry.ready();
    expect(registry.decide('gamma', { tiers: ['certified'] }).accepted).toBe(true);
    const { code, stderr } = await command('suspend', 'gamma', '--reason', 'its key has leaked');
    expect(code).toBe(0);
    expect(stderr).toContain('gamma: status active -> suspended (issuers/europe/gamma.yaml)');
    expect(record()).toBe(
      COMMENTED_RECORD.replace(
        'status:   active    # see the minutes',
        'status:   suspended    # see the minutes\nstatus_reason: its key has leaked',
      ),
    );
    await registry.refresh();
    expect(registry.decide('gamma', { tiers: ['certified'] }).reasons[0]?.code).toBe('status-suspended');
    registry.close();
  });

  it('can end: active, suspended, active, revoked, and then nothing more', async () => {
    const to = async (...name: string[]) => (await command(...name, 'gamma', '--reason', 'so')).code;
    // A command that is repeated changes nothing more.
    for (const name of [['suspend'], ['suspend', '--end'], ['revoke']]) {
      expect(await to(...name)).toBe(0);
      const changed = record();
      expect(await to(...name)).toBe(0);
      expect(record()).toBe(changed);
    }
    const revoked = record();
    for (const name of [['suspend'], ['suspend', '--end']]) {
      const outcome = await command(...name, 'gamma', '--reason', 'so', '--json');
      expectCommandError(outcome, 'ERR_USAGE', 'gamma', 'revoked');
    }
    expect(record()).toBe(revoked);
  });

  it('with an id that is misspelt, or without a reason, is refused', async () => {
    const misspelt = await command('revoke', 'gama', '--reason', 'x', '--json');
    expectCommandError(misspelt, 'ERR_USAGE', '`gamma`');
    const { code, stderr } = await command('suspend', 'gamma');
    expect([code, stderr]).toEqual([2, expect.stringContaining('--reason')]);
    expect(record()).toBe(COMMENTED_RECORD);
  });

  it.each([
    ['suspend', 'suspended'],
    ['revoke', 'revoked'],
  ])('that cannot be signed stays in the record: %s again builds', async (name, status) => {
    const sums = () => readFileSync(join(folder, 'dist/SHA256SUMS'), 'utf8');
    const before = sums();
    const args = [name, 'gamma', '--reason', 'x', '--key', 'none.pem', '--json'];
    const outcome = await cli(args, folder);
    expectCommandError(outcome, 'ERR_IO_FAILED', 'none.pem');
    expect(outcome.stderr).toContain(`issuers/europe/gamma.yaml stays ${status}`);
    expect(outcome.stderr).toContain('Not stopped yet: gamma.');
    expect([parse(record()).status, sums()]).toEqual([status, before]);
    expect(readdirSync(join(folder, 'issuers/europe'))).toEqual(['gamma.yaml']);
    const again = await command(name, 'gamma', '--reason', 'x');
    expect([again.code, again.stderr]).toEqual([
      0,
      expect.stringContaining(`gamma: status ${status} already`),
    ]);
    expect(readFileSync(join(folder, 'dist/issuers/gamma'), 'utf8')).toContain(`"status":"${status}"`);
  });

  it('changes no record if one of them cannot change', async () => {
    const { code } = await command('suspend', 'gamma', 'nobody', '--reason', 'x');
    expect([code, record()]).toEqual([2, COMMENTED_RECORD]);
  });

  it.each([
    ['suspend', '--key', ['--reason', 'so']],
    ['hold', '--online-key', []],
  ])(
    'says to leave out the key of %s that is not here, if registry.yaml names it',
    async (name, option, more) => {
      writeFiles(folder, {
        'registry.yaml': 'signer: { key: key.pem }\ncheckpoint: { signer: { key: key.pem } }\n',
      });
      const outcome = await cli([name, 'gamma', option, 'away.pem', ...more, '--json'], folder);
      expectCommandError(outcome, 'ERR_USAGE', 'away.pem', `leave out ${option}`, 'key.pem');
      expect(outcome.stderr).not.toContain('the root key is away');
    },
  );

  it('is a signing request if the root key is elsewhere', async () => {
    const sums = () => readFileSync(join(folder, 'dist/SHA256SUMS'), 'utf8');
    const before = sums();
    const request = (name: string) =>
      cli(['suspend', 'gamma', '--reason', 'x', '--unsigned', name, '--root-key', 'key.json'], folder);
    // After a request that cannot be written, the next one has the change.
    const refused = await request('issuers');
    expect(refused.stderr).toContain('gamma.yaml stays suspended');
    const { code, stderr } = await request('request');
    expect(code).toBe(0);
    expect(stderr).toContain('~ gamma: status "active" -> "suspended"');
    expect(record()).toContain('status_reason: x');
    expect(sums()).toBe(before);
    await cli(['sign', 'request', '--key', 'key.pem', '--yes', '--memory', 'memory'], folder);
    expect((await cli(['attach', 'request', '--root-key', 'key.json'], folder)).code).toBe(0);
    expect(readFileSync(join(folder, 'dist/issuers/gamma'), 'utf8')).toContain('"suspended"');
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const)('that %s ends leaves the tree as it was, and goes on when repeated', async (signal, code) => {
    const before = readFileSync(join(folder, 'dist/SHA256SUMS'), 'utf8');
    writeFiles(folder, {
      'command.yaml': 'root_key: key.json\nsigner: { command: touch signing; sleep 8 }',
    });
    const args = ['suspend', 'gamma', '--reason', 'x', '--config', 'command.yaml'];
    const child = spawn(process.execPath, [CLI, ...args], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk;
    });
    const ended = new Promise((resolve) => child.once('exit', (...outcome) => resolve(outcome)));
    await until(
      () => existsSync(join(folder, 'signing')),
      () => said,
    );
    expect(record()).toContain('status_reason: x');
    child.kill(signal);
    // A shell reports the signal as this exit code.
    expect([await ended, 128 + constants.signals[signal]]).toEqual([[null, signal], code]);
    expect(readFileSync(join(folder, 'dist/SHA256SUMS'), 'utf8')).toBe(before);
    expect((await command('suspend', 'gamma', '--reason', 'x')).code).toBe(0);
  });

  it('is published although nobody reads the output', async () => {
    const suspend = `"${process.execPath}" "${CLI}" suspend gamma --reason x --key key.pem`;
    const { stdout } = await run('sh', ['-c', `{ sleep 1; ${suspend}; echo $? >code; } 2>&1 | true`], folder);
    expect([stdout, readFileSync(join(folder, 'code'), 'utf8')]).toEqual(['', '0\n']);
    expect(readFileSync(join(folder, 'dist/issuers/gamma'), 'utf8')).toContain('"status":"suspended"');
  });

  it('is published if the record already has the status and the list does not', async () => {
    const edited = COMMENTED_RECORD.replace('active', 'suspended');
    writeFiles(folder, { 'issuers/europe/gamma.yaml': edited });
    const { code, stderr } = await command('suspend', 'gamma', '--reason', 'x');
    expect(stderr).toContain('gamma: status suspended already');
    // The reason is kept once, however often the command is repeated.
    const explained = edited.replace('see the minutes', 'see the minutes\nstatus_reason: x');
    expect([code, record()]).toEqual([0, explained]);
    expect(readFileSync(join(folder, 'dist/issuers/gamma'), 'utf8')).toContain('"status":"suspended"');
  });
});
