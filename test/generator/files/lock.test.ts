import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { build, IoFailed } from 'passport-registry';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { passTime } from '../../support/passing-time.js';
import { CLI } from '../../support/paths.js';
import { withKeys } from '../../support/settings.js';
import { until } from '../../support/until.js';
import {
  cleanEnvironment,
  cli,
  cliProcess,
  filesOf,
  goodCli,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

const BUILD = ['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })];
const CHECKPOINT = ['checkpoint', '--online-key', 'key.pem'];

let folder: string;
const path = (name: string) => join(folder, name);
const lock = (name = '.dist.lock') => path(name);
const options = () => ({
  issuers: path('issuers'),
  out: path('dist'),
  signer: { key: path('key.pem'), production: true, directory: folder },
});

beforeEach(async () => {
  folder = await workspace();
});

/** Sets the last sign of life of a lock's owner to some seconds ago. */
function setAge(name: string, seconds: number): void {
  const at = Date.now() / 1000 - seconds;
  utimesSync(name, at, at);
}

describe('one command at a time in an output folder', () => {
  it('waits for another one, through a link to the folder, too', async () => {
    await goodCli([...BUILD, '--out', 'served/www'], folder);
    symlinkSync('served/www', path('dist'));
    for (const command of [
      BUILD,
      CHECKPOINT,
      [...CHECKPOINT, 'served/www'],
      ['hold', 'alpha', '--online-key', 'key.pem'],
    ]) {
      mkdirSync(lock('served/.www.lock'));
      const before = filesOf(path('dist'));
      let code: number | null | undefined;
      const ended = cli(command, folder).then((outcome) => {
        code = outcome.code;
      });
      await pause(100);
      expect([command, code]).toEqual([command, undefined]);
      expect(filesOf(path('dist'))).toEqual(before);
      rmdirSync(lock('served/.www.lock'));
      await ended;
      expect([command, code]).toEqual([command, 0]);
    }
    expect(readdirSync(path('served'))).toEqual(['www']);
  });

  it('lets all end well that begin together, in one process and in several', async () => {
    await Promise.all([build(options()), build(options()), build(options())]);
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    const outcomes = await Promise.all([
      cliProcess(BUILD, folder),
      cliProcess(BUILD, folder),
      cli(BUILD, folder),
    ]);
    expect(outcomes.map(({ code }) => code)).toEqual([0, 0, 0]);
    await goodCli(['verify', 'dist'], folder);
    expect(readdirSync(folder).sort()).toEqual(['dist', 'issuers', 'key.pem']);
  });

  it('takes over from one that was killed, when its last sign of life is 15 seconds old', async () => {
    writeFiles(folder, {
      'command.yaml': 'root_key: root.json\nsigner: { command: touch signing; sleep 60 }\n',
      'root.json': (await goodCli(['keys', 'public', 'key.pem'], folder)).stdout,
    });
    const child = spawn(process.execPath, [CLI, 'build', '--config', 'command.yaml'], {
      cwd: folder,
      env: cleanEnvironment(),
      stdio: 'ignore',
    });
    const ended = new Promise((resolve) => child.once('exit', resolve));
    await until(() => existsSync(path('signing')));
    child.kill('SIGKILL');
    await ended;
    expect(statSync(lock()).isDirectory()).toBe(true);
    setAge(lock(), 16);
    await goodCli(BUILD, folder);
    expect(existsSync(lock())).toBe(false);
  });

  it.each([
    ['the other one does not end', () => mkdirSync(lock()), 'another command uses'],
    ['a file is in its place', () => writeFiles(folder, { '.dist.lock': '' }), '.dist.lock'],
  ])('gives up after 20 seconds if %s', async (_what, leave, message) => {
    await goodCli(BUILD, folder);
    leave();
    // An owner that lives.
    const live = () => setAge(lock(), statSync(lock()).isDirectory() ? 0 : 60);
    const { outcome, passedMs } = await passTime(() => cli(CHECKPOINT, folder), live);
    expect([outcome.code, outcome.stderr]).toEqual([4, expect.stringContaining(message)]);
    expect(passedMs).toBeGreaterThan(15_000);
    expect(existsSync(lock())).toBe(true);
  });
});

describe('a command that has lost its lock, as after its machine slept', () => {
  it.each([
    ['nobody has it', false],
    ['another command has it', true],
  ])('commits nothing: %s', async (_what, isTaken) => {
    await build(options());
    const before = filesOf(path('dist'));
    writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const onStage = (stage: string) => {
      if (stage !== 'published tree') return;
      rmdirSync(lock());
      if (isTaken) mkdirSync(lock());
      // The next sign of life finds that.
      vi.advanceTimersByTime(3000);
    };
    const lost = build({ ...options(), listeners: { onStage } });
    await expect(lost).rejects.toThrow(IoFailed);
    await expect(lost).rejects.toThrow('another command has taken over');
    expect(filesOf(path('dist'))).toEqual(before);
    // The lock of somebody else stays.
    expect(existsSync(lock())).toBe(isTaken);
  });
});
