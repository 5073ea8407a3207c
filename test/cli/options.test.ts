import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { cli, temporaryFolder, writeFiles } from '../support/workspace.js';

describe('an option without effect', () => {
  const unsigned = ['build', '--unsigned', 'request'];
  const witness = ['keys', 'public', 'x.pem', '--witness-name', 'mirror.example'];

  it.each([
    [[...unsigned, '--checkpoint-by-root'], '--checkpoint-by-root and --unsigned', 'has the checkpoint'],
    [
      ['keys', 'rotate', '--unsigned', 'r', '--next-key', 'x.pem'],
      '--next-key and --unsigned',
      '--next-root-key',
    ],
    [[...unsigned, '--key', 'x.pem'], '--key and --unsigned', 'where the request is signed'],
    [
      ['revoke', 'a', '--reason', 'x', '--unsigned', 'r', '--checkpoint-by-root'],
      '--unsigned',
      'online keys',
    ],
    [['hold', 'a', '--all'], '--all has no effect without --end', 'pass --end, too'],
    [['hold', 'a', '--false-alarm'], '--false-alarm has no effect without --end', 'pass --end, too'],
    [['sign', 'request', '--again'], '--again has no effect without --share', 'pass --share, too'],
    [['resolve', 'a', '--domains', 'x'], '--domains has no effect without --tiers', 'pass --tiers, too'],
    [['resolve', 'a', '--tiers', 'certified', '--policy', 'x.json'], '--policy and --tiers', 'leave out one'],
    [[...witness, '--origin', 'registry.example/log'], '--origin and --witness-name', 'leave out one'],
    [
      ['keys', 'public', 'x.pem', '--witness-state', 'x'],
      '--witness-state has no effect without --witness-name',
      'pass --witness-name',
    ],
    [['verify', 'x', '--conformance', '--any-content-type'], '--conformance', 'leave out --any-content-type'],
    [['check', '--json', '--watch'], '--json and --watch', 'leave out one'],
    [['diff', 'x', '--json', '--markdown'], '--json and --markdown', 'leave out one'],
    [['witness', 'x', '--witness-signer-input', 'digest'], '--witness-signer-command', 'or leave it out'],
  ])('is refused before anything is done, with a remedy: %j', async (args, problem, remedy) => {
    const folder = temporaryFolder();
    const { code, stdout, stderr } = await cli(args, folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining(problem)]);
    expect(stderr).toContain(remedy);
    expect(stderr.split('\n')).toHaveLength(2);
    if (!args.includes('--json')) expect(stdout).toBe('');
    else expect(JSON.parse(stdout)).toMatchObject({ ok: false, error: { code: 'ERR_USAGE' } });
    expect(readdirSync(folder)).toEqual([]);
  });

  it('is on the command line: registry.yaml may say what other commands need', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'registry.yaml': 'signer: { key: root.pem }\ncheckpoint: { days_online: 30 }\n' });
    for (const args of [['build'], ['build', '--unsigned', 'request']])
      expect((await cli(args, folder)).stderr).toContain('issuers does not exist');
  });
});

describe('a wrong option', () => {
  it('is found before the work: --conformance of a folder', async () => {
    const folder = temporaryFolder();
    writeFiles(folder, { 'dist/issuers.json': '{}' });
    const verified = await cli(['verify', 'dist', '--conformance', '--wait', '1'], folder);
    expect([verified.code, verified.stderr]).toEqual([
      2,
      'passport-registry: --conformance checks a live host: give its URL\n',
    ]);
  });
});
