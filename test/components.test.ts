import { execFileSync, spawnSync } from 'node:child_process';
import { delimiter, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { connect, describeInChromium } from './support/browser.js';
import { describeWith } from './support/components.js';
import { git } from './support/git.js';
import { MACHINE_PATH } from './support/machine.js';
import { BASIC_PROGRAMS, findProgram } from './support/programs.js';
import { run, temporaryFolder } from './support/workspace.js';

/** Returns what the shell says when it runs a program. */
const found = (program: string) => spawnSync('sh', ['-c', `command -v ${program}`]).status === 0;

describe('a test', () => {
  it('finds the basic programs, and no other that the machine has', async () => {
    expect(process.env['PATH']?.split(delimiter)).toHaveLength(1);
    for (const program of ['node', 'npm', 'git', 'sed', 'tar']) expect(found(program), program).toBe(true);
    for (const program of ['openssl', 'curl', 'rsync', 'python3', 'nginx'])
      expect(found(program), program).toBe(false);
    await expect(run('openssl', ['version'], temporaryFolder())).rejects.toThrow('ENOENT');
  });

  it('finds no Chromium', async () => {
    await expect(connect()).rejects.toThrow('describeInChromium');
  });

  it('finds no author in the settings of git, and no home folder with settings', async () => {
    const folder = temporaryFolder();
    git(folder, 'init', '-q');
    const commit = await run('git', ['commit', '--allow-empty', '-qm', 'x'], folder);
    expect([commit.code, commit.stderr]).toEqual([
      128,
      expect.stringContaining('auto-detection is disabled'),
    ]);
    const { stdout } = await run('ls', ['-A', String(process.env['HOME'])], folder);
    // Programs may have made a folder of caches.
    expect(stdout.replace(/^\.cache\n/, '')).toBe('');
  });
});

describeWith(['perl'], 'a suite that declares a program', () => {
  it('finds it', () => {
    expect(execFileSync('perl', ['-e', 'print @ARGV', 'a b', "c'"], { encoding: 'utf8' })).toBe("a bc'");
  });

  describe('and a suite in it', () => {
    it('finds it, too', () => expect(found('perl')).toBe(true));
  });

  afterAll(() => expect(found('perl')).toBe(true));
});

it('a program is gone after the suite that declares it', () => expect(found('perl')).toBe(false));

describeInChromium('a suite that needs Chromium', () => {
  it('finds it', async () => {
    const browser = await connect();
    expect(browser.version()).toMatch(/^\d+\./);
    await browser.close();
  });
});

describeWith(['dpkg-query'], 'the basic programs on Debian', () => {
  it('belong to essential packages, except Node.js, npm and git', () => {
    const query = (...args: string[]) => execFileSync('dpkg-query', args, { encoding: 'utf8' });
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a format of dpkg-query
    const essential = query('--show', '--showformat', '${Essential} ${Package}\n')
      .split('\n')
      .flatMap((line) => (line.startsWith('yes ') ? [line.slice(4)] : []));
    const files = new Set(query('--listfiles', ...essential).split('\n'));
    const folders = ['/bin', '/usr/bin'];
    const others = BASIC_PROGRAMS.filter((name) => !folders.some((folder) => files.has(join(folder, name))));
    expect(others).toEqual(['node', 'npm', 'npx', 'git']);
    expect(BASIC_PROGRAMS.filter((name) => findProgram(name, MACHINE_PATH) === undefined)).toEqual([]);
  });
});
