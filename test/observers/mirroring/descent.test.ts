import { cpSync, existsSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { join } from 'node:path';
import { folderSource, verifyTree } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pinnedKey } from '../../../build/generator/verification/pinned-trust.js';
import { mirrorOnce } from '../../../build/observers/mirroring/mirror.js';
import { type MirrorFolder, mirrorFolder, publishFirst } from '../../support/mirror-folder.js';
import { keyIn, statement, type TestKey } from '../../support/publication.js';
import { listen } from '../../support/serving.js';
import { sha256 } from '../../support/sha256.js';
import { resealed, restated } from '../../support/signed-tree.js';
import { rounds } from '../../support/soak.js';
import { claimsOf, together } from '../../support/statements.js';
import { seconds } from '../../support/times.js';
import { filesOf, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

const RECORDS = Array.from({ length: 100 }, (_one, index) => `n${index}`);

let built: MirrorFolder;
let key: TestKey;
/** Copies of the published tree: of the first publication, and of the next one, which changes one record. */
let [first, next] = ['', ''];

beforeAll(async () => {
  built = await mirrorFolder();
  const { folder, tree, publish } = built;
  key = await keyIn(join(folder, 'key.pem'));
  writeFiles(folder, Object.fromEntries(RECORDS.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
  await publish('2026-11-02T00:00:00Z');
  // A mirror has only those lists before the newest one that it has served.
  for (const path of olderLists(tree)) rmSync(join(tree, path));
  first = copy(tree);
  writeFiles(folder, { 'issuers/n7.yaml': recordText('n7', { status: 'suspended' }) });
  await publish('2026-11-03T00:00:00Z');
  next = copy(tree);
});

const olderLists = (tree: string) =>
  [...filesOf(tree).keys()].filter(
    (path) => path.startsWith('lists/') && !path.includes(sha256(readFileSync(join(tree, 'issuers.json')))),
  );

const copy = (tree: string) => {
  const folder = join(temporaryFolder(), 'tree');
  cpSync(tree, folder, { recursive: true });
  return folder;
};

/** A mirror of its own, and a host that notes what is requested. */
let folder: string;
let requested: string[];
/** Decides what the host serves at a path: a tree, bytes, or nothing. */
let answer: (path: string, query: string | undefined) => string | Buffer | undefined;
let base: string;

beforeAll(async () => {
  base = await listen((request, response) => {
    const url = (request.url ?? '').slice(1);
    requested.push(url);
    const [path = '', query] = url.split('?');
    send(response, answer(path, query), path);
  });
});

function send(response: ServerResponse, served: string | Buffer | undefined, path: string): void {
  const file = typeof served === 'string' ? join(served, path) : undefined;
  const body = file === undefined ? served : existsSync(file) ? readFileSync(file) : undefined;
  response.writeHead(body === undefined ? 404 : 200).end(body);
}

beforeEach(() => {
  folder = temporaryFolder();
  requested = [];
  answer = () => first;
});

const mirror = () =>
  mirrorOnce({ source: base, folder: join(folder, 'mirror'), trust: pinnedKey(key.rootKey) });
/** Mirrors, which must be refused for a reason. */
const refusal = (reason: RegExp | string) =>
  expect(mirror()).rejects.toMatchObject({
    code: 'ERR_TREE_REJECTED',
    message: expect.stringMatching(reason),
  });
const current = () => join(folder, 'mirror/current');
const served = () => JSON.parse(readFileSync(join(current(), 'issuers.json'), 'utf8')).updated_at;
const isGood = async () => (await verifyTree(folderSource(current()), key.rootKey)).ok;
const leafOf = (id: string) => `sums/${sha256(Buffer.from(id))[0]}`;

describe('a mirror over HTTP', () => {
  it('fetches each file once, and makes the records of a first copy from the list', async () => {
    const report = await mirror();
    expect(report).toMatchObject({ switched: true, updatedAt: '2026-11-02T00:00:00Z', issuers: 103 });
    expect(new Set(requested).size).toBe(requested.length);
    expect(requested.filter((path) => path.startsWith('issuers/'))).toEqual([]);
    expect(requested.filter((path) => /^(?:issuers\.json|lists\/)/.test(path))).toHaveLength(1);
    expect(filesOf(current())).toEqual(filesOf(first));
    expect(await isGood()).toBe(true);
    expect(report.fetched).toBe(requested.length);
  });

  it('fetches only what differs, and makes the record from the list', async () => {
    await mirror();
    requested = [];
    answer = () => next;
    const before = statSync(join(current(), 'issuers/n8')).ino;
    const report = await mirror();
    expect(served()).toBe('2026-11-03T00:00:00Z');
    const list = ['sums/root', leafOf('n7'), 'issuers.sig'];
    const site = ['index.html', 'changes.json', 'about.json'];
    // The list is requested once.
    const path = `lists/${sha256(readFileSync(join(next, 'issuers.json')))}.json`;
    const expected = ['SHA256SUMS', 'statements.json', path, ...list, ...site];
    expect(requested.toSorted()).toEqual(expected.toSorted());
    const bytes = expected.reduce((sum, path) => sum + statSync(join(next, path)).size, 0);
    expect(report).toMatchObject({ fetched: expected.length, bytes });
    expect(filesOf(current())).toEqual(filesOf(next));
    expect(statSync(join(current(), 'issuers/n8')).ino).toBe(before);
    // It is one file under both names.
    expect(statSync(join(current(), path)).ino).toBe(statSync(join(current(), 'issuers.json')).ino);

    requested = [];
    expect(await mirror()).toMatchObject({ switched: false, fetched: 1 });
    expect(requested).toEqual(['statements.json']);
  });

  it('asks again past a cache that keeps an older file, twice', async () => {
    await mirror();
    for (const path of ['sums/root', leafOf('n7'), 'SHA256SUMS', 'index.html']) {
      rmSync(join(folder, 'mirror'), { recursive: true });
      answer = () => first;
      await mirror();
      requested = [];
      // A cache that does not know the URL with the hash asks the host.
      answer = (asked, query) => (asked === path && query === undefined ? first : next);
      await mirror();
      expect([path, served()]).toEqual([path, '2026-11-03T00:00:00Z']);
      const hash = sha256(readFileSync(join(next, path)));
      expect(requested.filter((one) => one.startsWith(path))).toEqual([path, `${path}?${hash}`]);
    }
  });

  it('asks at most twice more, and then starts again', async () => {
    await mirror();
    requested = [];
    answer = (path) => (path === leafOf('n7') ? first : next);
    await refusal(`${leafOf('n7')} does not match its hash in sums/root`);
    const hash = sha256(readFileSync(join(next, leafOf('n7'))));
    const attempt = [leafOf('n7'), `${leafOf('n7')}?${hash}`, `${leafOf('n7')}?${hash}`];
    expect(requested.filter((path) => path.startsWith(leafOf('n7')))).toEqual([
      ...attempt,
      ...attempt,
      ...attempt,
    ]);
    expect([served(), await isGood()]).toEqual(['2026-11-02T00:00:00Z', true]);
  });

  it('takes the next publication if it happens during the download', async () => {
    for (const after of [1, 5, 12, 20]) {
      rmSync(join(folder, 'mirror'), { recursive: true, force: true });
      let requests = 0;
      answer = () => (++requests > after ? next : first);
      await mirror();
      expect([after, served()]).toEqual([after, '2026-11-03T00:00:00Z']);
      const files = filesOf(next);
      for (const path of olderLists(next)) files.delete(path);
      expect(filesOf(current())).toEqual(files);
    }
  });

  it('replaces a release that was damaged on its disk, and downloads what is damaged', async () => {
    await mirror();
    const path = leafOf('n7');
    writeFiles(current(), { [path]: 'rotten', 'issuers/n9': 'rotten' });
    requested = [];
    expect(await mirror()).toMatchObject({ switched: false, repaired: true });
    // The record is made from the list.
    const always = ['statements.json', 'issuers.sig'];
    expect(requested.toSorted()).toEqual([...always, path].toSorted());
    expect(await isGood()).toBe(true);
  });

  describe('trusts nothing before it has verified the statement', () => {
    /** Serves a copy of the next publication with some files changed. */
    const serving = (files: ReadonlyMap<string, Buffer>) => {
      answer = (path) => together(files).get(path);
    };
    const refused = async (message: RegExp) => {
      await refusal(message);
      expect(existsSync(current())).toBe(false);
    };

    it('and asks a forger for no record and no sums', async () => {
      const forger = temporaryFolder();
      await publishFirst(forger);
      answer = () => join(forger, 'dist');
      await refused(/ERR_PUBLICATION_INVALID/);
      expect(requested.filter((path) => /^(?:sums|issuers)\/|issuers\.json/.test(path))).toEqual([]);
    });

    it('and asks no host for a record of a tree whose checkpoint has expired', async () => {
      const iat = seconds(-7200);
      serving(await resealed(filesOf(next), key, { iat, exp: iat + 3600 }));
      await refused(/ERR_CHECKPOINT_EXPIRED/);
      expect(requested.filter((path) => /^(?:sums|issuers)\//.test(path))).toEqual([]);
    });

    it('and asks for no record of a publication that is older than its own', async () => {
      answer = () => next;
      await mirror();
      requested = [];
      answer = () => first;
      await refusal('ERR_PUBLICATION_ROLLED_BACK');
      expect(requested.filter((path) => /^(?:sums|issuers)\//.test(path))).toEqual([]);
      expect(served()).toBe('2026-11-03T00:00:00Z');
    });

    /** A copy of the next publication with other files, which the checkpoint proves. */
    const withOthers = (others: ReadonlyMap<string, Buffer>) =>
      resealed(new Map([...filesOf(next), ...others]), key);
    const HASHES = Array.from({ length: 300 }, (_one, index) => sha256(Buffer.from(`${index}`)));
    const junk = (paths: readonly string[]) => new Map(paths.map((path) => [path, Buffer.from(path)]));

    it('and refuses SHA256SUMS that the checkpoint does not name, before it fetches what they list', async () => {
      const files = filesOf(next);
      const sums = (await withOthers(junk(['extra.txt']))).get('SHA256SUMS') as Buffer;
      serving(files.set('SHA256SUMS', sums));
      await refused(/SHA256SUMS does not match its hash in statements.json/);
      expect(requested).not.toContain('extra.txt');
    });

    it.each([
      ['snapshots/j0/issuers.json', /SHA256SUMS lists snapshots\/\S+, which it must not list/],
      [`lists/${HASHES[0]}.json`, /SHA256SUMS lists lists\/\S+, which it must not list/],
    ])('and does not fetch %s', async (path, reason) => {
      const files = filesOf(next);
      const sums = Buffer.from(`${files.get('SHA256SUMS')}${HASHES[0]}  ${path}\n`);
      const claims = { ...claimsOf(files.get('checkpoint.jwt') as Buffer), tree_sha256: sha256(sums) };
      const checkpoint = Buffer.from(await statement(key, 'registry-checkpoint+jwt', claims));
      serving(files.set('SHA256SUMS', sums).set('checkpoint.jwt', checkpoint));
      await refused(reason);
      expect(requested).not.toContain(path);
    });

    it('and fetches no more other files than its limits allow', async () => {
      const isOther = (path: string) =>
        !/^(?:issuers\.sig|issuers\/[^.]|lists|sums\/(?!root)[0-9a-f]|checkpoint|publication|SHA)/.test(path);
      const present = [...filesOf(next)].filter(([path]) => isOther(path));
      const number = (count: number) =>
        withOthers(junk(HASHES.slice(present.length, count).map((hash) => `assets/${hash}.js`)));
      serving(await number(257));
      await refused(/SHA256SUMS lists 257 files, but a mirror downloads at most 256/);
      expect(requested.filter((path) => path.startsWith('assets/'))).toEqual([]);
      serving(await number(256));
      expect(await mirror()).toMatchObject({ switched: true });
    });

    it('and fetches no more bytes of other files than its limits allow', async () => {
      const large = Array.from({ length: 4 }, (_one, index) => Buffer.alloc(15 * 2 ** 20, `${index}`));
      const others = (last: number) =>
        withOthers(
          new Map(
            [...large, Buffer.alloc(last, 'x')].map((bytes, index) => [`assets/large-${index}.js`, bytes]),
          ),
        );
      serving(await others(4 * 2 ** 20));
      await refused(/the files that SHA256SUMS lists, apart from lists, are larger than 67108864 bytes/);
      // 63 MB that are taken are for the soak.
      if (rounds({ usual: 0, soak: 1 }) === 0) return;
      serving(await others(3 * 2 ** 20));
      expect(await mirror()).toMatchObject({ switched: true });
    });

    it.each([
      [104, 103],
      [102, 103],
      // The tree of sums has 16 leaves at most.
      [4, 16],
    ])(
      'and refuses sums of another number of records than %i, before it fetches them',
      async (issuers, listed) => {
        serving(await resealed(await restated(filesOf(next), key, { issuers }), key));
        await refused(new RegExp(`names ${issuers} issuers, but the sums list ${listed} files or records`));
        expect(requested.filter((path) => path.startsWith('issuers/'))).toEqual([]);
      },
    );

    /** The next publication with another leaf of the tree of sums, which the root key has signed. */
    async function withLeaf(change: (leaf: string) => string) {
      const files = filesOf(next);
      const path = leafOf('n7');
      const before = files.get(path) as Buffer;
      const leaf = Buffer.from(change(before.toString()));
      const root = Buffer.from(String(files.get('sums/root')).replace(sha256(before), sha256(leaf)));
      files.set(path, leaf).set('sums/root', root);
      return resealed(await restated(files, key, { sums_sha256: sha256(root) }), key);
    }

    it('and writes no path out of the tree, even under a genuine signature', async () => {
      serving(await withLeaf((leaf) => leaf.replace('issuers/n7\n', 'issuers/../../n7\n')));
      await refused(/ERR_SUMS_INVALID/);
      expect(readdirSync(folder)).toEqual(['mirror']);
    });

    it('and refuses records that are not those of the list, under a genuine signature', async () => {
      const record = filesOf(next).get('issuers/n7') as Buffer;
      const other = Buffer.from(record.toString().replace('suspended', 'active'));
      serving(
        (await withLeaf((leaf) => leaf.replace(sha256(record), sha256(other)))).set('issuers/n7', other),
      );
      await refused(/issuers\/n7 is not its entry in the list/);
      expect(requested).not.toContain('issuers/n7');
    });
  });
});
