import { existsSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { tilePath } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { logHead, problemsIn } from '../../support/log-files.js';
import { listOf, mirroredBy, refusedBy } from '../../support/log-mirror.js';
import { keptLists, type LoggedFolder, loggedFolder, ORIGIN, toldHost } from '../../support/logged-folder.js';
import { lengthenLog } from '../../support/long-log.js';
import { signedHead } from '../../support/note-keys.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf, jwt, resealed, sha256 } from '../../support/signed-tree.js';
import { rounds } from '../../support/soak.js';
import { cli, filesBelow, filesOf, writeFiles } from '../../support/workspace.js';

/** Twice as many have the same number of digits. */
const MANY = rounds({ usual: 20, soak: 300 });

let here: LoggedFolder;
let tree: string;

beforeEach(async () => {
  here = await loggedFolder();
  ({ tree } = here);
});

const publish = (...args: string[]) => here.publish(...args);
const current = (path = '') => join(here.current, path);

const mirrored = (source: string, ...args: string[]) => mirroredBy(here, source, ...args);
const refused = (source: string, reason: RegExp) => refusedBy(here, source, reason);

describe('a mirror of a log over HTTP', () => {
  it(`fetches as much for one publication after ${MANY} publications as after ${2 * MANY}`, async () => {
    const figures = [];
    for (const count of [MANY, 2 * MANY]) {
      const registry = await loggedFolder();
      await lengthenLog(registry.tree, registry.keys, count);
      const host = await toldHost(registry.tree);
      expect((await registry.mirror(host.base)).code).toBe(0);
      expect(await problemsIn(registry.current)).toEqual([]);
      await registry.publish();
      host.requested();
      const { stdout } = await registry.mirror(host.base, '--json');
      const { fetched, bytes } = JSON.parse(stdout);
      const paths = host.requested().filter((path) => /^log\//.test(path));
      expect(paths.toSorted()).toEqual(['log/checkpoint', `log/statements/${count}.jwt`].toSorted());
      expect(filesOf(join(registry.current, 'log'))).toEqual(filesOf(join(registry.tree, 'log')));
      figures.push({ fetched, bytes });
      host.requested();
      expect((await registry.mirror(host.base)).stderr).toContain('unchanged');
      expect(host.requested()).toEqual(['statements.json']);
    }
    const [small, large] = figures;
    expect(large?.fetched).toBe(small?.fetched);
    // The proof has one hash more for twice as many entries, and the sizes have the same number of digits.
    expect(Math.abs((large?.bytes ?? 0) - (small?.bytes ?? 0))).toBeLessThanOrEqual(2 * 45 + 64);
  });

  it('links nothing if nothing has changed', async () => {
    await publish();
    const host = await toldHost(tree);
    await mirrored(host.base);
    // Every new or removed hard link changes the ctime of a file.
    const times = () => new Map(filesBelow(current()).map((path) => [path, statSync(current(path)).ctimeMs]));
    const before = times();
    expect(await mirrored(host.base)).toContain('unchanged');
    const changed = [...times()].filter(([path, time]) => time !== before.get(path)).map(([path]) => path);
    expect(changed).toEqual([]);
    expect(readdirSync(join(here.folder, 'mirror/releases'))).toHaveLength(1);
  });

  it('makes the partial tiles of every width, and the full ones, from the entries', async () => {
    await lengthenLog(tree, here.keys, 260);
    // They are no part of the tiles, and a registry may have lost the older ones.
    const newest = `${listOf(tree)}.json`;
    for (const name of readdirSync(join(tree, 'lists')))
      if (name !== newest) rmSync(join(tree, 'lists', name));
    const host = await toldHost(tree);
    await mirrored(host.base);
    expect(host.requested().filter((path) => path.startsWith('log/tile'))).toEqual([]);
    const widths = readdirSync(current('log/tile/0/001.p'))
      .map(Number)
      .sort((a, b) => a - b);
    expect(widths).toEqual([1, 2, 3, 4]);
    expect(existsSync(current(`log/${tilePath({ level: 1, index: 0, width: 1 })}`))).toBe(true);
    expect(filesOf(current())).toEqual(filesOf(tree));
  });

  it('fetches kept lists that it does not have, and only those that the source keeps', async () => {
    const host = await toldHost(tree);
    await mirrored(host.base);
    await publish();
    const second = listOf(tree);
    await publish();
    const third = listOf(tree);
    for (let count = 0; count < 2; count++) await publish(...keptLists(here.folder, 0));
    const kept = readdirSync(join(tree, 'lists'));
    expect([kept.length, kept.includes(`${second}.json`), kept.includes(`${third}.json`)]).toEqual([
      ...[3, false, true],
    ]);
    host.requested();
    await mirrored(host.base);
    const lists = host.requested().filter((path) => path.startsWith('lists/'));
    expect(lists.toSorted()).toEqual(
      [...kept.map((name) => `lists/${name}`), `lists/${second}.json`].toSorted(),
    );
    for (const name of kept) expect(existsSync(current(`lists/${name}`))).toBe(true);
    for (let count = 0; count < 2; count++) await publish();
    const newest = `lists/${listOf(tree)}.json`;
    host.answer = (path) =>
      path.startsWith('lists/') && path !== newest ? Buffer.from('{}') : filesOf(tree).get(path);
    await refused(host.base, /lists\/[0-9a-f]+\.json does not have the hash in its name/);
  });

  it('reads again if the host shows the next head beside the statements before it', async () => {
    const host = await toldHost(tree);
    await mirrored(host.base);
    const before = filesOf(tree);
    await publish();
    const after = filesOf(tree);
    let isSwitched = false;
    host.answer = (path) => {
      const isEarly = /^(?:lists|log\/(?!publication))/.test(path);
      const answer = (isSwitched || isEarly ? after : before).get(path);
      isSwitched ||= path === 'log/checkpoint';
      return answer;
    };
    // A release with the same statements stays, so this is the first one.
    rmSync(join(here.folder, 'mirror'), { recursive: true });
    host.requested();
    expect(await mirrored(host.base)).toContain('switched to');
    expect(host.requested().filter((path) => path === 'statements.json')).toHaveLength(2);
    expect(filesOf(current('log'))).toEqual(filesOf(join(tree, 'log')));
  });

  it('does not ask a registry without a log for one', async () => {
    await here.good('build', '--key', 'key.pem', '--out', 'plain');
    const host = await toldHost(join(here.folder, 'plain'));
    await mirrored(host.base);
    expect(host.requested().filter((path) => path.startsWith('log'))).toEqual([]);
    const logged = withKeys({ log: 'log.pem', origin: ORIGIN });
    writeFiles(here.folder, {
      'anchor.json': JSON.stringify({ root: here.keys.root.rootKey.jwk, log: ORIGIN }),
    });
    await here.good('build', '--key', 'key.pem', '--out', 'plain', ...logged);
    const anchored = await cli(['mirror', host.base, 'mirror', '--trust-anchor', 'anchor.json'], here.folder);
    expect([anchored.code, anchored.stderr]).toEqual([0, expect.stringContaining('switched to')]);
    expect(filesOf(current())).toEqual(filesOf(join(here.folder, 'plain')));
  });

  it('stops at the first batch of statements that are none, and downloads no absurd number of entries', async () => {
    const host = await toldHost(tree);
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

  it('never writes through a hard link into the release being served', async () => {
    const { root } = here.keys;
    const host = await toldHost(tree);
    await mirrored(host.base);
    for (const path of ['issuers/alpha', 'log/statements/0.jwt', 'log/tile/0/000.p/1', 'sums/0']) {
      const evil = Buffer.from('evil');
      const files = new Map([...filesOf(tree), [path, evil] as const]);
      const sums = (await resealed(files, root)).get('SHA256SUMS') as Buffer;
      const listed = `${sums}${sums.includes(`  ${path}\n`) ? '' : `${sha256(evil)}  ${path}\n`}`;
      const claims = claimsOf(files.get('checkpoint.jwt') as Buffer);
      const proving = { ...claims, tree_sha256: sha256(Buffer.from(listed)) };
      const checkpoint = Buffer.from(await jwt(root, 'registry-checkpoint+jwt', proving));
      host.answer = (one) => {
        if (one === 'SHA256SUMS') return Buffer.from(listed);
        if (one === 'checkpoint.jwt') return checkpoint;
        return one === path ? evil : filesOf(tree).get(one);
      };
      await refused(
        host.base,
        new RegExp(
          `SHA256SUMS lists ${path.replaceAll('.', '\\.')}, which it must not list|entry 0 of the log: its statement is not a JWS`,
        ),
      );
    }
  });
});
