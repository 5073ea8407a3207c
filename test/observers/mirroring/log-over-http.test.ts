import { existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tilePath } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { logHead, problemsIn } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, type ToldHost, toldHost } from '../../support/logged-folder.js';
import { lengthenLog } from '../../support/long-log.js';
import { signedHead } from '../../support/note-keys.js';
import { sha256 } from '../../support/sha256.js';
import { rounds } from '../../support/soak.js';
import { filesOf, writeFiles } from '../../support/workspace.js';

/** Twice as many have the same number of digits. */
const MANY = rounds({ usual: 20, soak: 300 });

let here: LoggedFolder;
let tree: string;
let host: ToldHost;

beforeEach(async () => {
  here = await loggedFolder();
  ({ tree } = here);
  host = await toldHost(tree);
});

const publish = (...args: string[]) => here.publish(...args);
const current = (path = '') => join(here.current, path);
const inode = (path: string) => statSync(current(path)).ino;
/** The path of the newest list. */
const listIn = (folder: string) => `lists/${sha256(readFileSync(join(folder, 'issuers.json')))}.json`;

/** Mirrors the registry, which must succeed. Returns what the mirror reports. */
async function mirrored(): Promise<unknown> {
  const { code, stdout, stderr } = await here.mirror(host.base, '--json');
  expect(code, stderr).toBe(0);
  return JSON.parse(stdout);
}

describe('a mirror of a log', () => {
  it(`fetches as much for one publication after ${MANY} publications as after ${2 * MANY}`, async () => {
    const figures = [];
    for (const count of [MANY, 2 * MANY]) {
      const registry = await loggedFolder();
      await lengthenLog(registry.tree, registry.keys, count);
      const own = await toldHost(registry.tree);
      expect((await registry.mirror(own.base)).code).toBe(0);
      expect(await problemsIn(registry.current)).toEqual([]);
      await registry.publish();
      own.requested();
      const { stdout } = await registry.mirror(own.base, '--json');
      const { fetched, bytes } = JSON.parse(stdout);
      const paths = own.requested().filter((path) => /^log\//.test(path));
      expect(paths.toSorted()).toEqual(['log/checkpoint', `log/statements/${count}.jwt`].toSorted());
      expect(filesOf(join(registry.current, 'log'))).toEqual(filesOf(join(registry.tree, 'log')));
      figures.push({ fetched, bytes });
      own.requested();
      expect((await registry.mirror(own.base)).code).toBe(0);
      expect(own.requested()).toEqual(['statements.json']);
    }
    const [small, large] = figures;
    expect(large?.fetched).toBe(small?.fetched);
    // The proof has one hash more for twice as many entries, and the sizes have the same number of digits.
    expect(Math.abs((large?.bytes ?? 0) - (small?.bytes ?? 0))).toBeLessThanOrEqual(2 * 45 + 64);
  });

  it('makes the partial tiles of every width, and the full ones, from the entries', async () => {
    await lengthenLog(tree, here.keys, 260);
    // They are no part of the tiles, and a registry may have lost the older ones.
    for (const path of filesOf(tree).keys())
      if (path.startsWith('lists/') && path !== listIn(tree)) rmSync(join(tree, path));
    await mirrored();
    expect(host.requested().filter((path) => path.startsWith('log/tile'))).toEqual([]);
    const widths = readdirSync(current('log/tile/0/001.p'))
      .map(Number)
      .sort((a, b) => a - b);
    expect(widths).toEqual([1, 2, 3, 4]);
    expect(existsSync(current(`log/${tilePath({ level: 1, index: 0, width: 1 })}`))).toBe(true);
    expect(filesOf(current())).toEqual(filesOf(tree));
  });

  it('fetches kept lists that it does not have, and only those that the source keeps', async () => {
    await mirrored();
    await publish();
    const second = listIn(tree);
    await publish();
    const third = listIn(tree);
    writeFiles(here.folder, { 'kept.yaml': 'log: { keep_lists: 0 }\n' });
    for (let count = 0; count < 2; count++) await publish('--config', 'kept.yaml');
    const kept = readdirSync(join(tree, 'lists')).map((name) => `lists/${name}`);
    expect([kept.length, kept.includes(second), kept.includes(third)]).toEqual([3, false, true]);
    host.requested();
    await mirrored();
    const lists = host.requested().filter((path) => path.startsWith('lists/'));
    expect(lists.toSorted()).toEqual([...kept, second].toSorted());
    for (const path of kept) expect(existsSync(current(path))).toBe(true);
    for (let count = 0; count < 2; count++) await publish();
    const newest = listIn(tree);
    host.answer = (path) =>
      path.startsWith('lists/') && path !== newest ? Buffer.from('{}') : filesOf(tree).get(path);
    const refused = await here.mirror(host.base, '--json');
    expectCommandError(refused, 'ERR_TREE_REJECTED', 'lists/', 'the hash in its name');
  });

  it('stops at the first batch of statements that are none, and downloads no absurd number of entries', async () => {
    const { root } = logHead(tree);
    const refusal = async (size: number) => {
      const head = Buffer.from(signedHead(here.keys.log, { size, root }));
      const first = filesOf(tree);
      host.answer = (path) => {
        if (path === 'log/checkpoint') return head;
        if (path.startsWith('log/statements/')) return first.get('keys/root.json');
        return first.get(path);
      };
      host.requested();
      const { code, stderr } = await here.mirror(host.base);
      expect([code, existsSync(here.current)]).toEqual([1, false]);
      return stderr;
    };
    const statements = () => host.requested().filter((path) => path.startsWith('log/statements')).length;
    expect(await refusal(100_001)).toContain('100001 new entries, but a mirror downloads at most 100000');
    expect(statements()).toBe(0);
    expect(await refusal(100_000)).toContain('entry 0 of the log: its statement is not a JWS');
    expect(statements()).toBeLessThanOrEqual(768);
  });

  it('has the whole log, verifies, and links what never changes', async () => {
    await mirrored();
    expect(filesOf(current())).toEqual(filesOf(tree));
    const permanent = [
      ...['log/statements/0.jwt', 'log/tile/0/000.p/1', 'log/tile/entries/000.p/1'],
      listIn(tree),
    ];
    const before = permanent.map(inode);
    await publish();
    expect(await mirrored()).toMatchObject({ switched: true });
    expect(filesOf(current())).toEqual(filesOf(tree));
    expect(permanent.map(inode)).toEqual(before);
    expect(await problemsIn(current())).toEqual([]);
    expect(logHead(current()).size).toBe(2);
    // The list and what is kept of it are one file.
    expect(inode(listIn(tree))).toBe(inode('issuers.json'));
    expect(await mirrored()).toMatchObject({ switched: false, repaired: false });
  });
});
