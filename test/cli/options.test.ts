import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { expectCommandError } from '../support/expect-command-error.js';
import { cli, temporaryFolder, writeFiles } from '../support/workspace.js';

describe('an option without effect', () => {
  const unsigned = ['build', '--unsigned', 'request'];
  const witness = ['keys', 'public', 'x.pem', '--witness-name', 'mirror.example'];

  it.each<[args: string[], ...facts: string[]]>([
    [[...unsigned, '--checkpoint-by-root'], '--checkpoint-by-root and --unsigned'],
    [
      ['keys', 'rotate', '--unsigned', 'r', '--next-key', 'x.pem'],
      '--next-key and --unsigned',
      '--next-root-key',
    ],
    [[...unsigned, '--key', 'x.pem'], '--key and --unsigned'],
    [['revoke', 'a', '--reason', 'x', '--unsigned', 'r', '--checkpoint-by-root'], '--unsigned'],
    [['hold', 'a', '--all'], '--all has no effect without --end'],
    [['hold', 'a', '--false-alarm'], '--false-alarm has no effect without --end'],
    [['sign', 'request', '--again'], '--again has no effect without --share'],
    [['resolve', 'a', '--domains', 'x'], '--domains has no effect without --tiers'],
    [['resolve', 'a', '--tiers', 'certified', '--policy', 'x.json'], '--policy and --tiers'],
    [[...witness, '--origin', 'registry.example/log'], '--origin and --witness-name'],
    [
      ['keys', 'public', 'x.pem', '--witness-state', 'x'],
      '--witness-state has no effect without --witness-name',
    ],
    [['verify', 'x', '--conformance', '--any-content-type'], '--conformance', 'leave out --any-content-type'],
    [['check', '--json', '--watch'], '--json and --watch'],
    [['diff', 'x', '--json', '--markdown'], '--json and --markdown'],
    [['witness', 'x', '--witness-signer-input', 'digest'], '--witness-signer-command'],
  ])('is refused in one line, before anything is done: %j', async (args, ...facts) => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await cli(args, folder);
    expect(code).toBe(2);
    for (const fact of facts) expect(stderr).toContain(fact);
    expect(stderr.split('\n')).toHaveLength(2);
    if (!args.includes('--json')) expect(stdout).toBe('');
    else expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'ERR_USAGE' } });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is on the command line: registry.yaml may say what other commands need', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'registry.yaml': 'signer: { key: root.pem }\ncheckpoint: { days_online: 30 }\n' });
    // What is missing is the folder of the records.
    for (const args of [['build'], ['build', '--unsigned', 'request']])
      expectCommandError(await cli([...args, '--json'], folder), 'ERR_USAGE', 'issuers');
  });
});

describe('a wrong option', () => {
  it('is found before the work: --conformance of a folder', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'dist/issuers.json': '{}' });
    const verified = await cli(['verify', 'dist', '--conformance', '--wait', '1'], folder);
    expect([verified.code, verified.stderr]).toEqual([2, expect.stringContaining('--conformance')]);
  });

  it.each([
    [['build', '--keyy', 'x'], "'--keyy'"],
    [['resolve'], "'id'"],
    [['bild'], "'bild'"],
    [['build', '-----BEGIN PRIVATE KEY-----'], 'an argument contains a private key'],
  ])('of which no command knows is told as data, too: %j', async (args, fact) => {
    const outcome = await cli([...args, '--json'], temporaryFolder());
    expectCommandError(outcome, 'ERR_USAGE', fact);
    expect(outcome.stdout).not.toContain('BEGIN');
  });
});
