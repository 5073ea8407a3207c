import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { formatNote, tilePath } from '@passport-registry/verifier/internal';
import { beforeEach, describe, expect, it } from 'vitest';
import { signHead } from '../../../build/log/sign-head.js';
import { describeWith } from '../../support/components.js';
import { logHead, problemsIn } from '../../support/log-files.js';
import { type LoggedFolder, loggedFolder, ORIGIN, toldHost } from '../../support/logged-folder.js';
import { lengthenLog } from '../../support/long-log.js';
import { WAYS } from '../../support/mirror-folder.js';
import { resealed, restated, sha256 } from '../../support/signed-tree.js';
import { rounds } from '../../support/soak.js';
import { cli, filesOf, writeFiles } from '../../support/workspace.js';

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
const inode = (path: string) => statSync(current(path)).ino;
const listOf = (where: string) => sha256(readFileSync(join(where, 'issuers.json')));

/** Mirrors a source. Returns what the mirror says; it must succeed. */
async function mirrored(source: string, ...args: string[]): Promise<string> {
  const { code, stderr } = await here.mirror(source, ...args);
  expect([code, stderr]).toEqual([0, expect.stringContaining('mirror ok')]);
  return stderr;
}

/** Mirrors a source that must be refused. The served release stays. */
async function refused(source: string, reason: RegExp, what = ''): Promise<void> {
  const before = filesOf(current());
  const { code, stderr } = await here.mirror(source);
  expect([what, code, stderr]).toEqual([what, 1, expect.stringMatching(reason)]);
  expect(filesOf(current())).toEqual(before);
}

describeWith(['rsync'], 'a mirror of a registry with a log', () => {
  // For rsync, a folder is what a daemon is, only faster.
  describe.each(Object.entries(WAYS).filter(([name]) => !name.startsWith('a daemon')))(
    'from %s',
    (_name, start) => {
      let source: string;

      beforeEach(async () => {
        source = await start(tree);
        await mirrored(source);
      });

      it('has the whole log, verifies, and links what never changes', async () => {
        expect(filesOf(current())).toEqual(filesOf(tree));
        const first = listOf(tree);
        const permanent = [
          ...['log/statements/0.jwt', 'log/tile/0/000.p/1', 'log/tile/entries/000.p/1'],
          `log/lists/${first}.json`,
          'log/proofs/0/first.tlog-proof',
        ];
        const before = permanent.map(inode);
        await publish();
        expect(await mirrored(source)).toContain('switched to');
        expect(filesOf(current())).toEqual(filesOf(tree));
        expect(permanent.map(inode)).toEqual(before);
        expect(await problemsIn(current())).toEqual([]);
        expect(logHead(current()).size).toBe(2);
        // The list and what is kept of it are one file.
        const isHttp = source.startsWith('http:');
        if (isHttp) expect(inode(`log/lists/${listOf(tree)}.json`)).toBe(inode('issuers.json'));
        expect(await mirrored(source)).toContain('unchanged');
      });

      it('switches if the head has new cosignatures, and nothing else has changed', async () => {
        const head = readFileSync(join(tree, 'log/checkpoint'), 'utf8');
        const other = `${head}\u2014 witness.example ${Buffer.alloc(76, 7).toString('base64')}\n`;
        writeFiles(tree, { 'log/checkpoint': other });
        expect(await mirrored(source)).toContain('switched to');
        expect(readFileSync(current('log/checkpoint'), 'utf8')).toBe(other);
      });

      it('serves a publication that is only in the log, with its list, and then the rest', async () => {
        const before = listOf(tree);
        await publish('--cosign-later');
        const said = await mirrored(source);
        expect(said).toContain('switched to');
        expect(said).toContain(`the newest publication is in the log ${ORIGIN}, but not published yet`);
        expect(logHead(current()).size).toBe(2);
        expect(listOf(current())).toBe(before);
        expect(await problemsIn(current())).toEqual([]);
        expect(filesOf(current())).toEqual(filesOf(tree));
        const [pending] = readdirSync(current('snapshots')).filter((name) => name !== before);
        expect(sha256(readFileSync(current(`snapshots/${pending}/issuers.json`)))).toBe(pending);

        await here.good('cosign');
        expect(await mirrored(source)).not.toContain('not published yet');
        expect(listOf(current())).toBe(pending);
        expect(filesOf(current())).toEqual(filesOf(tree));
      });

      it('refuses such a publication if its list is missing, is another one, or is not signed', async () => {
        const before = listOf(tree);
        await publish('--cosign-later');
        const good = filesOf(tree);
        const [pending = ''] = readdirSync(join(tree, 'snapshots')).filter((name) => name !== before);
        const [list, signature] = [`snapshots/${pending}/issuers.json`, `snapshots/${pending}/issuers.sig`];
        const changes: [string, () => void, RegExp][] = [
          ['is missing', () => rmSync(join(tree, list)), /issuers\.json/],
          ['is another one', () => writeFiles(tree, { [list]: '{}' }), /issuers\.json does not/],
          [
            'is not signed',
            () => writeFiles(tree, { [signature]: good.get('issuers.sig') as Buffer }),
            /issuers\.json is not signed by the root key/,
          ],
        ];
        for (const [what, change, reason] of changes) {
          change();
          await refused(source, reason, what);
          writeFiles(tree, Object.fromEntries(good));
        }
      });

      it('refuses a log that is another one, and goes on with the right one', async () => {
        await publish();
        await mirrored(source);
        await publish();
        cpSync(tree, join(here.folder, 'good'), { recursive: true });
        const changes: [string, () => unknown, RegExp][] = [
          [
            'smaller',
            () => lengthenLog(tree, here.keys, 1),
            /has 1 entries, but a log with 2 entries was accepted/,
          ],
          [
            'another one of the same size',
            () => lengthenLog(tree, here.keys, 2),
            /does not contain|contradict each other/,
          ],
          [
            'another one that is larger',
            () => lengthenLog(tree, here.keys, 5),
            /does not contain|contradict each other/,
          ],
          ['missing', () => rmSync(join(tree, 'log'), { recursive: true }), /log\/checkpoint is missing/],
          [
            'signed by another key',
            () => writeFiles(tree, { 'log/checkpoint': foreignHead() }),
            /log\/checkpoint is not signed|log\/checkpoint has a signature/,
          ],
          [
            'one of another name',
            async () => {
              const { root, log } = here.keys;
              const { head } = await renamed();
              const claims = { log: { origin: head.origin, vkey: readVkey(formatNote(head.note)) } };
              const files = await resealed(await restated(filesOf(tree), root, claims), root);
              writeFiles(tree, Object.fromEntries(files));
              await lengthenLog(tree, { root, log }, 2);
            },
            /the log is registry\.example\/log|ERR_PUBLICATION|not signed/,
          ],
        ];
        for (const [what, change, reason] of changes) {
          await change();
          await refused(source, reason, what);
          rmSync(tree, { recursive: true });
          cpSync(join(here.folder, 'good'), tree, { recursive: true });
        }
        expect(await mirrored(source)).toContain('switched to');
        expect(filesOf(current())).toEqual(filesOf(tree));
      });

      const foreignHead = () => {
        const text = readFileSync(join(tree, 'log/checkpoint'), 'utf8');
        return text.replace(/(?<=\u2014 \S+ ......)..../, (four) => (four === 'AAAA' ? 'BBBB' : 'AAAA'));
      };
      const renamed = async () => {
        const { size, root } = logHead(tree);
        return { head: await signHead({ origin: 'other.example/log', size, root }, here.keys.log) };
      };
      const readVkey = (note: string) => {
        const [, id = ''] = /\u2014 \S+ (\S+)/.exec(note) ?? [];
        const keyId = Buffer.from(id, 'base64').subarray(0, 4).toString('hex');
        const key = Buffer.from(here.keys.log.rootKey.jwk.x, 'base64url');
        return `other.example/log+${keyId}+${Buffer.concat([Buffer.of(1), key]).toString('base64')}`;
      };

      it('never takes an altered file of the log, old or new', async () => {
        const old = listOf(tree);
        await publish();
        await mirrored(source);
        await publish();
        const good = filesOf(tree);
        const altered = [
          ...['log/statements/0.jwt', 'log/statements/2.jwt', 'log/tile/0/000.p/1', 'log/tile/0/000.p/3'],
          ...['log/tile/entries/000.p/2', 'log/tile/entries/000.p/3', `log/lists/${old}.json`],
          ...[
            `log/lists/${listOf(tree)}.json`,
            'log/proofs/0/last.tlog-proof',
            'log/proofs/2/first.tlog-proof',
          ],
          ...['log/publication.tlog-proof', 'log/checkpoint'],
        ];
        // Whatever rsync brings is verified at one place, as a whole: every third file is enough there.
        const isSample = (at: number) =>
          source.startsWith('http:') || at % rounds({ usual: 3, soak: 1 }) === 0;
        for (const path of altered.filter((_path, at) => isSample(at))) {
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

      it('does not take what the source has cosigned, nor anything else beside the log', async () => {
        writeFiles(tree, { [`witness/${'0'.repeat(64)}/checkpoint`]: 'cosigned by the source' });
        await publish();
        writeFiles(tree, { [`witness/${'0'.repeat(64)}/checkpoint`]: 'cosigned by the source' });
        await mirrored(source);
        expect(existsSync(current('witness'))).toBe(false);
        writeFiles(tree, { 'log/more': 'x' });
        const { code } = await here.mirror(source);
        expect([code, existsSync(current('log/more'))]).toEqual([source.startsWith('http:') ? 0 : 1, false]);
      });

      it('repairs files of the log that were damaged on its disk', async () => {
        await publish();
        await mirrored(source);
        const good = filesOf(current());
        for (const path of [
          ...['log/statements/0.jwt', 'log/tile/0/000.p/2', 'log/tile/entries/000.p/1', 'log/checkpoint'],
          'log/publication.tlog-proof',
        ]) {
          const bytes = Buffer.from(good.get(path) as Buffer).fill(0, 1, 2);
          writeFiles(here.current, { [path]: bytes });
          expect([path, await mirrored(source)]).toEqual([path, expect.stringContaining('repaired')]);
          expect([path, filesOf(current())]).toEqual([path, good]);
          expect(await mirrored(source)).toContain('unchanged');
        }
      });

      it('starts again with the log of another registry, if its operator has pinned that one', async () => {
        const other = await loggedFolder();
        const root = join(other.folder, 'key.json');
        await publish();
        await mirrored(source);
        const args = ['mirror', other.tree, 'mirror', '--root-key', root];
        expect((await cli(args, here.folder)).stderr).toContain('switched to');
        expect(filesOf(current())).toEqual(filesOf(other.tree));
      });
    },
  );
});

describe('a mirror of a log over HTTP', () => {
  it(`fetches as much for one publication after ${MANY} publications as after ${2 * MANY}`, async () => {
    const figures = [];
    for (const count of [MANY, 2 * MANY]) {
      const registry = await loggedFolder('--keep-lists', '1');
      await lengthenLog(registry.tree, registry.keys, count);
      const host = await toldHost(registry.tree);
      expect((await registry.mirror(host.base)).code).toBe(0);
      expect(await problemsIn(registry.current)).toEqual([]);
      await registry.publish();
      host.requested();
      const { stdout } = await registry.mirror(host.base, '--json');
      const { fetched, bytes } = JSON.parse(stdout);
      const paths = host.requested().filter((path) => /(?:^| )log\//.test(path));
      expect(paths.toSorted()).toEqual(
        [
          `HEAD log/lists/${listOf(registry.tree)}.json`,
          ...['log/checkpoint', 'log/publication.tlog-proof', `log/statements/${count}.jwt`],
          `log/proofs/${count - 1}/first.tlog-proof`,
          `log/proofs/${count - 1}/last.tlog-proof`,
          `log/proofs/${count}/first.tlog-proof`,
        ].toSorted(),
      );
      expect(filesOf(join(registry.current, 'log'))).toEqual(filesOf(join(registry.tree, 'log')));
      figures.push({ fetched, bytes });
      host.requested();
      expect((await registry.mirror(host.base)).stderr).toContain('unchanged');
      expect(host.requested().toSorted()).toEqual([
        'SHA256SUMS',
        'checkpoint.jwt',
        'log/checkpoint',
        'log/publication.tlog-proof',
        'operations.jwt',
      ]);
    }
    const [small, large] = figures;
    expect(large?.fetched).toBe(small?.fetched);
    // Four proofs, each with one hash more for twice as many entries, and sizes that have the same number of digits.
    expect(Math.abs((large?.bytes ?? 0) - (small?.bytes ?? 0))).toBeLessThanOrEqual(4 * 2 * 45 + 64);
  });

  it('links only the statements if nothing has changed', async () => {
    await publish();
    const host = await toldHost(tree);
    await mirrored(host.base);
    // Every new or removed hard link changes the ctime of a file.
    const times = () =>
      new Map([...filesOf(current()).keys()].map((path) => [path, statSync(current(path)).ctimeMs]));
    const before = times();
    expect(await mirrored(host.base)).toContain('unchanged');
    const changed = [...times()].filter(([path, time]) => time !== before.get(path)).map(([path]) => path);
    const statements = /^(?:snapshots\/[0-9a-f]{64}\/)?(?:publication\.jwt|issuers\.sig|keys\/root\.json)$/;
    expect(changed.filter((path) => !statements.test(path))).toEqual([]);
    expect(readdirSync(join(here.folder, 'mirror/releases'))).toHaveLength(1);
  });

  it('does not read old lists and proofs again, so that only verify finds what has rotted on its disk', async () => {
    const host = await toldHost(tree);
    const path = `log/lists/${listOf(tree)}.json`;
    await mirrored(host.base);
    await publish();
    await mirrored(host.base);
    for (const rotten of [path, 'log/proofs/0/last.tlog-proof']) {
      const good = readFileSync(current(rotten));
      // Not in place: other files can be hard links to the same bytes.
      rmSync(current(rotten));
      writeFiles(here.current, { [rotten]: Buffer.from(good).fill(0, 1, 2) });
      expect([rotten, await mirrored(host.base)]).toEqual([rotten, expect.stringContaining('unchanged')]);
      await publish();
      expect([rotten, await mirrored(host.base)]).toEqual([rotten, expect.stringContaining('switched to')]);
      expect(await problemsIn(here.current)).toEqual([expect.stringContaining(rotten)]);
      rmSync(current(rotten));
      writeFiles(here.current, { [rotten]: good });
      expect(await problemsIn(here.current)).toEqual([]);
    }
  });

  it('makes the partial tiles of every width, and the full ones, from the entries', async () => {
    await lengthenLog(tree, here.keys, 260);
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
    for (const more of [[], [], ['--keep-lists', '0']]) await publish(...more);
    const last = listOf(tree);
    const inSnapshots = readdirSync(join(tree, 'snapshots'));
    expect([inSnapshots.length, inSnapshots.includes(second)]).toEqual([3, false]);
    host.requested();
    await mirrored(host.base);
    // What the tree has already is only looked for.
    const lists = host.requested().filter((path) => path.includes('log/lists/'));
    const heads = inSnapshots.map((hash) => `HEAD log/lists/${hash}.json`);
    expect(lists.toSorted()).toEqual([...heads, `log/lists/${second}.json`].toSorted());
    expect(existsSync(current(`log/lists/${last}.json`))).toBe(false);
    expect(filesOf(current())).toEqual(filesOf(tree));
    host.answer = (path) => (path.startsWith('log/lists/') ? Buffer.from('{}') : filesOf(tree).get(path));
    for (let count = 0; count < 4; count++) await publish();
    await refused(host.base, /log\/lists\/[0-9a-f]+\.json does not have the hash in its path/);
  });

  it('makes no requests for records of a list that it has from the log', async () => {
    const host = await toldHost(tree);
    await mirrored(host.base);
    await publish('--cosign-later');
    await mirrored(host.base);
    await here.good('cosign');
    host.requested();
    await mirrored(host.base);
    expect(host.requested().filter((path) => /^issuers(?:\/|\.json)/.test(path))).toEqual([]);
    expect(filesOf(current())).toEqual(filesOf(tree));
  });

  it('does not ask a registry without a log for one', async () => {
    await here.good('build', '--key', 'key.pem', '--out', 'plain');
    const host = await toldHost(join(here.folder, 'plain'));
    await mirrored(host.base);
    expect(host.requested().filter((path) => path.startsWith('log'))).toEqual([]);
    // The log begins: its first publication is pending.
    const later = ['--log-key', 'log.pem', '--log-origin', ORIGIN, '--cosign-later'];
    writeFiles(here.folder, {
      'anchor.json': JSON.stringify({ root: here.keys.root.rootKey.jwk, log: ORIGIN }),
    });
    await here.good('build', '--key', 'key.pem', '--out', 'plain', ...later);
    expect(await problemsIn(join(here.folder, 'plain'))).toEqual([]);
    await mirrored(host.base);
    expect(existsSync(current('log'))).toBe(false);
    await here.good('cosign', 'plain');
    const anchored = await cli(['mirror', host.base, 'mirror', '--root-key', 'anchor.json'], here.folder);
    expect([anchored.code, anchored.stderr]).toEqual([0, expect.stringContaining('switched to')]);
    expect(filesOf(current())).toEqual(filesOf(join(here.folder, 'plain')));
  });

  it('stops at the first statement that the root key has not signed, and downloads no absurd number of entries', async () => {
    const host = await toldHost(tree);
    await mirrored(host.base);
    const { origin, root } = logHead(tree);
    const grown = async (size: number) => {
      const head = Buffer.from(formatNote((await signHead({ origin, size, root }, here.keys.log)).note));
      const first = filesOf(tree);
      host.answer = (path) => {
        if (path === 'log/checkpoint') return head;
        if (path.startsWith('log/statements/')) return first.get('keys/root.json');
        return first.get(path);
      };
      host.requested();
    };
    await grown(100_002);
    await refused(host.base, /the log has 100001 new entries, but a mirror downloads at most 100000/);
    expect(host.requested().filter((path) => path.startsWith('log/statements'))).toEqual([]);
    await grown(100_001);
    await refused(host.base, /the statement of entry 1 of the log is not a JWS/);
    expect(host.requested().filter((path) => path.startsWith('log/statements')).length).toBeLessThanOrEqual(
      768,
    );
  });

  it('never writes through a hard link into the release being served', async () => {
    const { root } = here.keys;
    const host = await toldHost(tree);
    await mirrored(host.base);
    for (const path of [
      'issuers/alpha',
      'log/statements/0.jwt',
      'log/tile/0/000.p/1',
      'sums/0',
      'witness/x',
    ]) {
      const evil = Buffer.from('evil');
      const files = new Map([...filesOf(tree), [path, evil] as const]);
      const sums = (await resealed(files, root)).get('SHA256SUMS') as Buffer;
      const listed = `${sums}${sums.includes(`  ${path}\n`) ? '' : `${sha256(evil)}  ${path}\n`}`;
      const asked = new Map<string, number>();
      host.answer = (one) => {
        if (one === 'SHA256SUMS') return Buffer.from(listed);
        // The right file first, and then the other one.
        asked.set(one, (asked.get(one) ?? 0) + 1);
        return one === path ? evil : filesOf(tree).get(one);
      };
      await refused(
        host.base,
        new RegExp(`SHA256SUMS lists ${path.replaceAll('.', '\\.')}, which it must not list`),
      );
    }
  });
});
