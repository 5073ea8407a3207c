import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, symlinkSync, truncateSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { readText } from '../../../build/generator/files/read-file.js';
import { CLI, ROOT } from '../../support/paths.js';
import { cli, keyPair, run, workspace, writeFiles } from '../../support/workspace.js';

const MIB = 1024 * 1024;

/** Reads files in a process that a shell starts, and prints what came of each. */
const READER = `
  import { readText } from '${join(ROOT, 'build/generator/files/read-file.js')}';
  const outcome = (file) => {
    try {
      return readText(file).length;
    } catch ({ code, message }) {
      return [code, message.replace(file, 'it')];
    }
  };
  console.log(JSON.stringify(process.argv.slice(1).map(outcome)));
`;
const DEVICE = ['ERR_IO_FAILED', 'it is a device, not a file'];
const TOO_LARGE = ['ERR_IO_FAILED', 'it is larger than 16777216 bytes'];

describe('a file that the user names', () => {
  let folder: string;
  const at = (name: string) => join(folder, name);
  beforeAll(async () => {
    folder = await workspace(['alpha']);
    await keyPair(folder, 'root');
    await cli(['build', '--key', 'root.pem'], folder);
    mkdirSync(at('folder'));
    execFileSync('mkfifo', [at('fifo')]);
    symlinkSync('/dev/zero', at('zero'));
    writeFiles(folder, { empty: '', full: '', huge: '' });
    truncateSync(at('full'), 16 * MIB);
    truncateSync(at('huge'), 16 * MIB + 1);
  });

  it.each([
    ['zero', 'is a device, not a file'],
    ['folder', 'is a folder, not a file'],
    ['huge', 'is larger than 16777216 bytes'],
    ['none', 'does not exist'],
  ])('is a regular file: %s', (file, problem) => {
    const reading = () => readText(at(file));
    expect(reading).toThrow(expect.objectContaining({ code: 'ERR_IO_FAILED' }));
    expect(reading).toThrow(`${at(file)} ${problem}`);
  });

  it('may be as large as the limit, and empty', () => {
    expect(readText(at('full'))).toHaveLength(16 * MIB);
    expect(readText(at('empty'))).toBe('');
  });

  // A process can be killed where a reader would wait for ever.
  it('may be a pipe that the shell passes on, but no other one: a key need not be on the disk', async () => {
    const files = 'fifo /dev/stdin <(sleep 0.2; cat root.json) /dev/fd/8 <(cat /dev/zero) /dev/fd/9';
    const command = `cat root.json | "$0" --input-type=module -e "$1" -- ${files} 8<root.json 9</dev/zero`;
    const { code, stdout, stderr } = await run('bash', ['-c', command, process.execPath, READER], folder);
    expect(code, stderr).toBe(0);
    const { length } = readFileSync(at('root.json'), 'utf8');
    expect(JSON.parse(stdout)).toEqual([DEVICE, length, length, length, TOO_LARGE, DEVICE]);
  });

  it.each<[string, string[]]>([
    ['status', ['status', '--root-key', 'zero', '--offline']],
    ['verify', ['verify', 'dist', '--trust-anchor', 'zero']],
    ['keys public', ['keys', 'public', 'zero']],
    ['build', ['build', '--key', 'zero', '--out', 'other']],
    ['a rotation', ['keys', 'rotate', '--unsigned', 'request', '--next-root-key', 'zero']],
    ['a configuration', ['--config', 'zero', 'check']],
    ['resolve', ['resolve', 'alpha', '--trust-anchor', 'root.json', '--policy', 'zero']],
  ])('is never endless: %s', async (_name, command) => {
    const { code, stdout, stderr } = await cli(command, folder);
    expect(code).toBeGreaterThan(0);
    expect(stdout + stderr).toContain('zero is a device, not a file');
  });

  it('may be standard input of a command', async () => {
    const command = `cat root.json | "$0" ${CLI} verify dist --trust-anchor /dev/stdin`;
    expect(await run('bash', ['-c', command, process.execPath], folder)).toMatchObject({ code: 0 });
  });
});
