import { chmodSync, cpSync, readdirSync, readFileSync, readlinkSync, statSync, utimesSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, it } from 'vitest';
import { describeWith } from '../support/components.js';
import { type LoggedFolder, loggedFolder } from '../support/logged-folder.js';
import { ROOT } from '../support/paths.js';
import { rsyncd } from '../support/rsyncd.js';
import { filesOf, run, writeFiles } from '../support/workspace.js';

describeWith(['rsync'], 'docs/hosting/mirror.sh, from an rsync daemon', () => {
  let here: LoggedFolder;
  let module: string;

  beforeEach(async () => {
    here = await loggedFolder();
    module = await rsyncd(here.tree);
    expect((await mirror()).code).toBe(0);
  });

  const mirror = (environment: Readonly<Record<string, string>> = {}) =>
    run(join(ROOT, 'docs/hosting/mirror.sh'), [module, 'mirror'], here.folder, environment);
  const current = (path = '') => join(here.folder, 'mirror/current', path);
  const release = () => readlinkSync(join(here.folder, 'mirror/current'));
  const isWhole = () => expect(filesOf(current())).toEqual(filesOf(here.tree));

  it('copies the whole tree, and does not switch while nothing changes', async () => {
    isWhole();
    const before = release();
    expect((await mirror()).code).toBe(0);
    expect(release()).toBe(before);
    expect(readdirSync(join(here.folder, 'mirror'))).toEqual(['current', 'releases']);
    expect(readdirSync(join(here.folder, 'mirror/releases'))).toHaveLength(1);
  });

  it('takes each publication, links what has not changed, and keeps three releases', async () => {
    const inode = statSync(current('keys/root.json')).ino;
    for (let count = 0; count < 4; count++) {
      await here.publish();
      expect((await mirror()).code).toBe(0);
      isWhole();
    }
    expect(statSync(current('keys/root.json')).ino).toBe(inode);
    expect(readdirSync(join(here.folder, 'mirror/releases'))).toHaveLength(3);
  });

  it.each(['issuers.json', 'issuers/alpha', 'log/tile/0/000.p/1', 'log/checkpoint', 'statements.json'])(
    'repairs %s, damaged on its disk, at the next run, although the source did not change',
    async (path) => {
      const [good, { atime, mtime }] = [readFileSync(current(path)), statSync(current(path))];
      chmodSync(current(path), 0o644);
      writeFiles(current(), { [path]: Buffer.from(good).fill('x', 0, 1) });
      // As a disk damages a file: with the same size and time.
      utimesSync(current(path), atime, mtime);
      expect((await mirror()).code).toBe(0);
      isWhole();
    },
  );

  it('takes a file that has changed, but not in size and time', async () => {
    const file = join(here.tree, 'log/checkpoint');
    const { atime, mtime } = statSync(file);
    const bytes = readFileSync(file);
    writeFiles(here.tree, { 'log/checkpoint': bytes.fill('x', bytes.length - 3, bytes.length - 2) });
    utimesSync(file, atime, mtime);
    expect((await mirror()).code).toBe(0);
    isWhole();
  });

  it.each(['issuers.json', 'issuers/alpha', 'sums/root'])(
    'serves what it has while the source has a damaged %s',
    async (path) => {
      const [before, good] = [filesOf(current()), readFileSync(join(here.tree, path))];
      await here.publish();
      writeFiles(here.tree, { [path]: Buffer.from(good).fill('x', 0, 1) });
      expect((await mirror()).code).not.toBe(0);
      expect(filesOf(current())).toEqual(before);
      expect(readdirSync(join(here.folder, 'mirror/releases'))).toHaveLength(1);
    },
  );

  it('does not switch if the source was published while it was read, and takes the publication at the next run', async () => {
    const before = filesOf(current());
    cpSync(here.tree, join(here.folder, 'older'), { recursive: true });
    await here.publish();
    const newer = filesOf(here.tree);
    const statements = readFileSync(join(here.tree, 'statements.json'));
    writeFiles(here.tree, {
      'log/checkpoint': before.get('log/checkpoint') as Buffer,
      'statements.json': readFileSync(current('statements.json')),
    });
    // The publication ends after rsync has read all files for the first time.
    writeFiles(here.folder, {
      'later/log/checkpoint': newer.get('log/checkpoint') as Buffer,
      'later/statements.json': statements,
      'bin/rsync': `#!/bin/sh\nPATH="\${PATH#*:}" rsync "$@" || exit\ncp -r '${here.folder}/later/.' '${here.tree}'\n`,
    });
    chmodSync(join(here.folder, 'bin/rsync'), 0o755);
    const { code, stderr } = await mirror({ PATH: `${join(here.folder, 'bin')}:${process.env['PATH']}` });
    expect([code, stderr]).toEqual([1, expect.stringContaining('was published meanwhile')]);
    expect(filesOf(current())).toEqual(before);
    expect((await mirror()).code).toBe(0);
    isWhole();
  });
});
