import { existsSync, readdirSync, readFileSync, statSync, symlinkSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { build, IoFailed } from 'passport-registry';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { withKeys } from '../../support/settings.js';
import { cli, workspace, writeFiles } from '../../support/workspace.js';

const KEY = ['--key', 'key.pem'];
const MINUTE = 60_000;

/** Leaves a lock behind, as an owner would whose heart beat last some time ago. */
function lock(folder: string, owner: object | string, age = 0): void {
  const path = '.dist.staging/owner.json';
  writeFiles(folder, { [path]: typeof owner === 'string' ? owner : JSON.stringify(owner) });
  const at = new Date(Date.now() - age);
  utimesSync(join(folder, path), at, at);
}

/** Returns how a build in this process names itself in its lock. */
async function ownerHere(): Promise<{ readonly pid: number }> {
  const folder = await workspace();
  const path = (name: string) => join(folder, name);
  let owner = { pid: 0 };
  const onStage = () => {
    owner = JSON.parse(readFileSync(path('.dist.staging/owner.json'), 'utf8'));
  };
  const signer = { key: path('key.pem'), production: true, directory: folder };
  await build({ issuers: path('issuers'), out: path('dist'), signer, listeners: { onStage } });
  expect(owner.pid).toBe(process.pid);
  return owner;
}

const me = await ownerHere();

describe('one build at a time in an output folder', () => {
  const alive = new RegExp(
    `: process ${me.pid} \\(since 20.*Z\\) is alive: wait until it ends or, if it hangs, end it with \`kill ${me.pid}\``,
  );
  const unseen =
    /: process 1 \(since 20.*Z\), of another .*last sign of life was at 20.* remove that folder\n/;

  it.each<[string, object | string, number, RegExp]>([
    ['a process that runs', me, 0, alive],
    ['a process that runs, however long ago it began', me, 60 * MINUTE, alive],
    [
      'a process of another container, whose heart beats',
      { ...me, realm: 'elsewhere', pid: 1 },
      9 * MINUTE,
      unseen,
    ],
    ['an owner that has not said who it is yet', '', 0, /: a process that has not said which\. Nobody /],
  ])('is refused while the lock is that of %s', async (_name, owner, age, words) => {
    const folder = await workspace();
    lock(folder, owner, age);
    const { code, stderr } = await cli(['build', ...KEY], folder);
    expect(code).toBe(4);
    expect(stderr).toMatch(words);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
  });

  it.each<[string, object | string, number]>([
    ['a process that has ended', { ...me, pid: 999_999_999 }, 0],
    ['a process whose number another one has by now', { ...me, started: '1' }, 0],
    [
      'a process of another container, whose heart has stopped',
      { ...me, realm: 'elsewhere', pid: 1 },
      11 * MINUTE,
    ],
    ['an owner that never said who it is', '', 11 * MINUTE],
  ])('takes over the lock of %s', async (_name, owner, age) => {
    const folder = await workspace();
    lock(folder, owner, age);
    writeFiles(folder, { '.dist.staging/0': 'left over', '.dist.staging-backup/keep': '' });
    // Its owner was killed while it removed it, and had removed its own name already.
    writeFiles(folder, { '.dist.staging-removed-123-4/tree/0': 'left over' });
    expect((await cli(['build', ...KEY], folder)).code).toBe(0);
    // Not one of its own, whatever the name looks like.
    expect(readdirSync(folder).sort()).toEqual(['.dist.staging-backup', 'dist', 'issuers', 'key.pem']);
  });

  it('is taken over by one process at a time, and by the next if that one is killed', async () => {
    const folder = await workspace();
    const dead = { ...me, pid: 999_999_999 };
    const takeover = (owner: object) =>
      writeFiles(folder, { '.dist.staging-takeover/owner.json': JSON.stringify(owner) });
    lock(folder, dead);
    takeover(me);
    const meanwhile = await cli(['build', ...KEY], folder);
    expect([meanwhile.code, meanwhile.stderr]).toEqual([
      4,
      expect.stringContaining('has ended: run this again'),
    ]);
    takeover(dead);
    writeFiles(folder, { '.dist.staging-takeover-999999999-0/owner.json': JSON.stringify(dead) });
    expect((await cli(['build', ...KEY], folder)).code).toBe(0);
    expect(readdirSync(folder).sort()).toEqual(['dist', 'issuers', 'key.pem']);
  });

  it.each(['.dist.staging-takeover', '.dist.staging'])(
    'leaves the folder of a live owner that has replaced a dead %s since the check',
    async (name) => {
      const folder = await workspace();
      const dead = JSON.stringify({ ...me, pid: 999_999_999 });
      const path = join(folder, name, 'owner.json');
      lock(folder, dead);
      // Another process replaces the owner after the check, immediately before the folder is moved away.
      writeFiles(folder, {
        [`${name}/owner.json`]: dead,
        'race.mjs': `import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
const { renameSync, writeFileSync } = fs;
fs.renameSync = (from, to) => {
  if (from === ${JSON.stringify(join(folder, name))}) writeFileSync(${JSON.stringify(path)}, ${JSON.stringify(JSON.stringify(me))});
  renameSync(from, to);
};
syncBuiltinESMExports();
`,
      });
      const { code, stderr } = await cli(['build', ...KEY], folder, {
        NODE_OPTIONS: `--import ${join(folder, 'race.mjs')}`,
      });
      expect([code, stderr.includes('another build, mirror or rotation holds')]).toEqual([4, true]);
      expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(me);
      expect(readdirSync(folder).filter((entry) => /staging.*-\d+-\d+$/.test(entry))).toEqual([]);
    },
  );

  it('says what is in its way', async () => {
    const folder = await workspace();
    writeFiles(folder, { '.dist.staging': '' });
    const { code, stderr } = await cli(['build', ...KEY], folder);
    expect([code, stderr.includes('remove it')]).toEqual([4, true]);
  });

  it('keeps its lock for as long as it runs, and not longer', async () => {
    vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] });
    onTestFinished(() => void vi.useRealTimers());
    const folder = await workspace();
    const path = (name: string) => join(folder, name);
    const ages: number[] = [];
    // As if each stage took longer than a heart may stand still.
    const onStage = () => {
      const owner = path('.dist.staging/owner.json');
      utimesSync(owner, new Date(0), new Date(0));
      vi.advanceTimersByTime(9 * MINUTE);
      ages.push(Date.now() - statSync(owner).mtimeMs);
    };
    const signer = { key: path('key.pem'), production: true, directory: folder };
    await build({ issuers: path('issuers'), out: path('dist'), signer, listeners: { onStage } });
    expect(ages.length).toBeGreaterThan(3);
    expect(Math.max(...ages)).toBeLessThan(MINUTE);
    expect(vi.getTimerCount()).toBe(0);
  });

  it('holds within one process', async () => {
    const folder = await workspace();
    const options = {
      issuers: join(folder, 'issuers'),
      out: join(folder, 'dist'),
      signer: { key: join(folder, 'key.pem'), production: true, directory: folder },
    };
    const builds = await Promise.allSettled([build(options), build(options), build(options)]);
    expect(builds.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    for (const one of builds) {
      if (one.status === 'rejected') expect(one.reason).toBeInstanceOf(IoFailed);
    }
    await build(options);
  });

  it('is one lock for all commands, through a link, too', async () => {
    const folder = await workspace();
    await cli(['build', ...KEY, ...withKeys({ checkpoint: 'key.pem' }), '--out', 'served/www'], folder);
    symlinkSync('served/www', join(folder, 'dist'));
    writeFiles(folder, { 'served/.www.staging/owner.json': JSON.stringify(me) });
    for (const command of [
      ['build', ...KEY],
      ['checkpoint', 'dist', '--online-key', 'key.pem'],
      ['checkpoint', 'served/www', '--online-key', 'key.pem'],
    ]) {
      const { code, stderr } = await cli(command, folder);
      expect([code, stderr.includes('is alive')]).toEqual([4, true]);
    }
  });
});
