import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { problemsIn } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, toldHost } from '../../support/logged-folder.js';
import { onlyLogged } from '../../support/only-logged.js';
import { plainHost, serve } from '../../support/serving.js';
import { cli, filesOf, writeFiles } from '../../support/workspace.js';

let here: LoggedFolder;

beforeAll(async () => {
  here = await loggedFolder();
  await here.publish();
  await here.publish();
});

describe('verify of a folder with a log', () => {
  it('accepts what a build writes', async () => {
    expect(await problemsIn(here.tree)).toEqual([]);
  });
});

describe('verify of a host with a log', () => {
  it('checks types, and reads only the newest statement', async () => {
    const base = await serve(here.tree);
    const { code, stdout } = await cli(['verify', base, '--trust-anchor', 'key.json'], here.folder);
    expect([code, stdout]).toEqual([0, expect.stringMatching(/^ok {6}log$/m)]);
    const requested: string[] = [];
    const plain = await plainHost(here.tree, '404.html', (path, bytes) => {
      requested.push(path.slice(1));
      return bytes;
    });
    const typed = await cli(['verify', plain, '--trust-anchor', 'key.json'], here.folder);
    expect(typed.stdout).toMatch(/log\/tile\/0\/000\.p\/3 .* application\/json/);
    expect(
      requested.filter((path) => path.startsWith('log/statements')).every((path) => path.endsWith('/2.jwt')),
    ).toBe(true);
  });

  it('refuses a log that ends with another publication, but reads again while the tree is switched', async () => {
    const registry = await loggedFolder();
    const before = filesOf(registry.tree);
    await onlyLogged(registry.tree, () => registry.publish());
    const problem = /log\/checkpoint has 2 entries, but the publication is the last of 1/;
    expect(await problemsIn(registry.tree)).toEqual([expect.stringMatching(problem)]);
    const host = await toldHost(registry.tree);
    const verify = async () => {
      const args = ['verify', host.base, '--trust-anchor', 'key.json', '--any-content-type'];
      const { code, stdout } = await cli(args, registry.folder);
      return [code, stdout];
    };
    expect(await verify()).toEqual([1, expect.stringMatching(problem)]);
    const torn = filesOf(registry.tree);
    writeFiles(registry.tree, Object.fromEntries(before));
    rmSync(join(registry.tree, 'log'), { recursive: true });
    writeFiles(registry.tree, Object.fromEntries([...before].filter(([path]) => path.startsWith('log/'))));
    await registry.publish();
    const after = filesOf(registry.tree);
    let isSwitched = false;
    host.answer = (path) => {
      const answer = (isSwitched || /^(?:lists|log\/(?!publication))/.test(path) ? after : torn).get(path);
      // The rest follows the head.
      isSwitched ||= path === 'log/checkpoint';
      return answer;
    };
    host.requested();
    expect(await verify()).toEqual([0, expect.stringMatching(/^ok {6}log$/m)]);
  });
});
