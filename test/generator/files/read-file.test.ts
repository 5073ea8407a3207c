import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { CLI } from '../../support/paths.js';
import { sample } from '../../support/soak.js';
import { cli, cliProcess, run, workspace, writeFiles } from '../../support/workspace.js';

const MIB = 1024 * 1024;

describe('a file that the user names', () => {
  let folder: string;
  beforeAll(async () => {
    folder = await workspace(['alpha']);
    writeFiles(folder, {
      'root.json': (await cli(['keys', 'generate', '--no-passphrase', '--private', 'root.pem'], folder))
        .stdout,
    });
    await cli(['build', '--key', 'root.pem'], folder);
    writeFiles(folder, { 'root.json': readFileSync(join(folder, 'root.json'), 'utf8') });
    mkdirSync(join(folder, 'folder'));
    execFileSync('mkfifo', [join(folder, 'fifo')]);
    symlinkSync('/dev/zero', join(folder, 'zero'));
    writeFiles(folder, { huge: '' });
    truncateSync(join(folder, 'huge'), 16 * MIB + 1);
  });

  const commands = (file: string): [string, string[]][] => [
    ['status', ['status', '--root-key', file, '--offline']],
    ['verify', ['verify', 'dist', '--trust-anchor', file]],
    ['keys public', ['keys', 'public', file]],
    ['build', ['build', '--key', file, '--out', 'other']],
    ['a rotation', ['keys', 'rotate', '--unsigned', 'request', '--next-root-key', file]],
    ['a configuration', ['--config', file, 'check']],
    ['resolve', ['resolve', 'alpha', '--trust-anchor', 'root.json', '--policy', file]],
  ];

  it.each([
    // A process can be killed where a reader would wait for ever.
    ['fifo', 'is a device, not a file', cliProcess, 4],
    ['zero', 'is a device, not a file', cli, 1],
    ['folder', 'is a folder, not a file', cli, 1],
    ['huge', 'is larger than 16777216 bytes', cli, 1],
    ['none', 'does not exist', cli, 1],
  ])('is a regular file: %s', async (file, problem, runner, every) => {
    for (const [name, command] of sample(commands(file), every)) {
      const { code, stdout, stderr } = await runner(command, folder);
      expect([name, code], stdout + stderr).toEqual([name, expect.toSatisfy((number: number) => number > 0)]);
      expect(stdout + stderr, name).toContain(`${file} ${problem}`);
    }
  });

  it('may be as large as the limit, and empty', async () => {
    writeFileSync(join(folder, 'full'), `${readFileSync(join(folder, 'root.json'))}`.padEnd(16 * MIB));
    expect((await cli(['verify', 'dist', '--trust-anchor', 'full'], folder)).code).toBe(0);
    writeFiles(folder, { empty: '' });
    expect((await cli(['verify', 'dist', '--trust-anchor', 'empty'], folder)).stderr).toContain(
      'no public JWK',
    );
  });

  it('may be a pipe that the shell passes on: a key need not be on the disk', async () => {
    const verify = (source: string) =>
      run('bash', ['-c', `${process.execPath} ${CLI} verify dist --trust-anchor ${source}`], folder);
    for (const source of ['<(sleep 0.2; cat root.json)', '/dev/stdin < root.json']) {
      const { code, stdout } = await verify(source);
      expect([code, stdout]).toEqual([0, expect.stringContaining('dist is valid')]);
    }
    expect((await verify('<(cat /dev/zero)')).stderr).toContain('is larger than 16777216 bytes');
    expect((await verify('/dev/stdin < /dev/zero')).stderr).toContain('is a device, not a file');
  });

  it('may be standard input, from a pipe', async () => {
    const child = spawn('bash', ['-c', `cat root.json | ${process.execPath} ${CLI} keys public /dev/stdin`], {
      cwd: folder,
    });
    const code = await new Promise((resolve) => child.once('close', resolve));
    expect(code).toBe(0);
  });
});
