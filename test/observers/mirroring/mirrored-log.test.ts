import { existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { logHead, problemsIn } from '../../support/log-files.js';
import { listOf, mirroredBy } from '../../support/log-mirror.js';
import { type LoggedFolder, loggedFolder, otherLoggedFolder } from '../../support/logged-folder.js';
import { onlyLogged } from '../../support/only-logged.js';
import { serve } from '../../support/serving.js';
import { sample } from '../../support/soak.js';
import { cli, filesOf, writeFiles } from '../../support/workspace.js';

let here: LoggedFolder;
let tree: string;

beforeEach(async () => {
  here = await loggedFolder();
  ({ tree } = here);
});

const publish = (...args: string[]) => here.publish(...args);
const current = (path = '') => join(here.current, path);
const inode = (path: string) => statSync(current(path)).ino;
const mirrored = (source: string, ...args: string[]) => mirroredBy(here, source, ...args);

describe('a mirror of a registry with a log', () => {
  let source: string;

  beforeEach(async () => {
    source = await serve(tree);
    await mirrored(source);
  });

  it('has the whole log, verifies, and links what never changes', async () => {
    expect(filesOf(current())).toEqual(filesOf(tree));
    const first = listOf(tree);
    const permanent = [
      ...['log/statements/0.jwt', 'log/tile/0/000.p/1', 'log/tile/entries/000.p/1'],
      `lists/${first}.json`,
    ];
    const before = permanent.map(inode);
    await publish();
    expect(await mirrored(source)).toContain('switched to');
    expect(filesOf(current())).toEqual(filesOf(tree));
    expect(permanent.map(inode)).toEqual(before);
    expect(await problemsIn(current())).toEqual([]);
    expect(logHead(current()).size).toBe(2);
    // The list and what is kept of it are one file.
    expect(inode(`lists/${listOf(tree)}.json`)).toBe(inode('issuers.json'));
    expect(await mirrored(source)).toContain('unchanged');
  });

  it('stays as it is until the statements follow the head, and is begun with no such tree', async () => {
    await onlyLogged(tree, () => publish());
    expect(await mirrored(source)).toContain('unchanged');
    expect(logHead(current()).size).toBe(1);
    const args = ['mirror', source, 'another', '--trust-anchor', 'key.json'];
    const { code, stderr } = await cli(args, here.folder);
    const problem = /log\/checkpoint has 2 entries, but the publication is the last of 1/;
    expect([code, stderr]).toEqual([1, expect.stringMatching(problem)]);
    expect(existsSync(join(here.folder, 'another/current'))).toBe(false);
  });

  it('never takes an altered file of the log, old or new', async () => {
    const old = listOf(tree);
    await publish();
    await mirrored(source);
    await publish();
    const good = filesOf(tree);
    const altered = [
      ...['log/statements/0.jwt', 'log/statements/2.jwt', 'log/tile/0/000.p/1', 'log/tile/0/000.p/3'],
      ...['log/tile/entries/000.p/2', 'log/tile/entries/000.p/3', `lists/${old}.json`],
      `lists/${listOf(tree)}.json`,
      ...['log/publication.tlog-proof', 'log/checkpoint'],
    ];
    for (const path of sample(altered, 2)) {
      const bytes = Buffer.from(good.get(path) as Buffer);
      const at = Math.floor(bytes.length / 2);
      bytes[at] = (bytes[at] ?? 0) ^ 1;
      writeFiles(tree, { [path]: bytes });
      await here.mirror(source);
      // A file that the mirror has already, or makes itself, is not fetched again.
      expect([path, filesOf(current()).get(path)?.equals(bytes) ?? false]).toEqual([path, false]);
      expect([path, await problemsIn(current())]).toEqual([path, []]);
      writeFiles(tree, { [path]: good.get(path) as Buffer });
      await mirrored(source);
      expect([path, filesOf(current())]).toEqual([path, good]);
    }
  });

  it('takes nothing else beside the log', async () => {
    await publish();
    writeFiles(tree, { 'log/more': 'x' });
    await mirrored(source);
    expect(existsSync(current('log/more'))).toBe(false);
  });

  it('repairs files of the log that were damaged on its disk', async () => {
    await publish();
    await mirrored(source);
    const good = filesOf(current());
    const damaged = [
      ...['log/statements/0.jwt', 'log/tile/0/000.p/2', 'log/tile/entries/000.p/1', 'log/checkpoint'],
      'log/publication.tlog-proof',
    ];
    for (const path of sample(damaged, 2)) {
      const bytes = Buffer.from(good.get(path) as Buffer).fill(0, 1, 2);
      writeFiles(here.current, { [path]: bytes });
      expect([path, await mirrored(source)]).toEqual([path, expect.stringContaining('repaired')]);
      expect([path, filesOf(current())]).toEqual([path, good]);
      expect(await mirrored(source)).toContain('unchanged');
    }
  });

  it('starts again with the log of another registry, if its operator has pinned that one', async () => {
    const other = await otherLoggedFolder();
    const root = join(other.folder, 'key.json');
    await publish();
    await mirrored(source);
    const args = ['mirror', await serve(other.tree), 'mirror', '--trust-anchor', root];
    expect((await cli(args, here.folder)).stderr).toContain('switched to');
    expect(filesOf(current())).toEqual(filesOf(other.tree));
  });
});
