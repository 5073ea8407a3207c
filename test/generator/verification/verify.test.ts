import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { folderSource, httpSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { contentTypeOf, freePort, listen } from '../../support/serving.js';
import { sha256 } from '../../support/sha256.js';
import { resealed, restated, type SignedTree, signedTree } from '../../support/signed-tree.js';
import { rounds } from '../../support/soak.js';
import { treeIn } from '../../support/sources.js';
import { together } from '../../support/statements.js';
import { cli, temporaryFolder, writeFiles } from '../../support/workspace.js';

type Files = ReadonlyMap<string, Buffer>;

let tree: SignedTree;
/** The tree as it is published: its statements are in statements.json. */
let whole: Files;

beforeAll(async () => {
  tree = await signedTree();
  whole = together(tree.files);
});

/** Whether a path is that of a list before the current one, which need not be there. */
const isOlder = (path: string) =>
  path.startsWith('lists/') && !path.includes(sha256(tree.files.get('issuers.json') as Buffer));

const audit = (files: Files) => verifyTree(treeIn(files), tree.root.rootKey);
const failed = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
const problems = ({ checks }: TreeReport) =>
  checks.flatMap(({ result, problems: texts }) => (result === 'failed' ? texts : [])).join('\n');

describe('a tree that has everything', () => {
  it('is good, under the root key and under the one before', async () => {
    for (const pinned of [tree.root.rootKey, tree.first.rootKey, undefined]) {
      const report = await verifyTree(treeIn(tree.files), pinned);
      expect(problems(report)).toBe('');
      const skipped = report.checks.filter(({ result }) => result !== 'passed').map(({ name }) => name);
      expect(skipped).toEqual(['log', 'unknown id', 'content types']);
      const rotated = pinned === tree.first.rootKey;
      expect(report.rotatedFrom).toBe(rotated ? pinned?.thumbprint : undefined);
      expect(report).toMatchObject({ pinned: pinned !== undefined, development: false, issuers: 24 });
    }
  });

  it('is judged by nothing that follows from a list whose signature is bad', async () => {
    const { checks } = await audit(new Map(whole).set('issuers.json', Buffer.from('[]')));
    const skipped = checks.filter(({ result }) => result === 'skipped').map(({ name }) => name);
    expect(skipped).toEqual(expect.arrayContaining(['schema', 'records']));
  });
});

it('each problem of a check is told by itself', async () => {
  const files = new Map(whole);
  const missing = ['issuers/issuer-01', 'issuers/issuer-02'];
  for (const path of missing) files.delete(path);
  const { checks } = await audit(files);
  const records = checks.find(({ name }) => name === 'records');
  expect(records?.problems).toEqual(missing.map((path) => `${path} is missing`));
});

describe('a tree in a folder', () => {
  function written(): string {
    const folder = temporaryFolder();
    writeFiles(folder, Object.fromEntries(whole));
    return folder;
  }
  const auditFolder = (folder: string) => verifyTree(folderSource(folder), tree.root.rootKey);

  it('with a folder in the place of any file is not good, and no crash', async () => {
    const folder = written();
    // The record of one issuer stands for all.
    const isAnotherRecord = (path: string) => /^issuers\/issuer-(?!00)/.test(path);
    for (const [path, bytes] of whole) {
      if (isOlder(path) || isAnotherRecord(path)) continue;
      rmSync(join(folder, path));
      mkdirSync(join(folder, path));
      expect(problems(await auditFolder(folder))).toContain(`${path} is a folder`);
      rmSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
  });

  it.each(['issuers', 'keys', 'lists', 'sums', 'schemas', 'assets'])(
    'with a file in the place of the folder %s is not good, and no crash',
    async (path) => {
      const folder = written();
      rmSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path), 'x');
      expect((await auditFolder(folder)).ok).toBe(false);
    },
  );

  it.each([
    ['statements.json', 1024 * 1024],
    ['issuers.sig', 256],
    ['issuers/issuer-03', 64 * 1024],
  ])('is not read where %s is larger than %i bytes', async (path, size) => {
    const folder = written();
    const isTooLarge = async (bytes: number) => {
      writeFileSync(join(folder, path), Buffer.alloc(bytes));
      return problems(await auditFolder(folder)).includes(`${path} is larger than ${size} bytes`);
    };
    expect([await isTooLarge(size), await isTooLarge(size + 1)]).toEqual([false, true]);
  });
});

describe('a live host', () => {
  interface Answer {
    readonly status?: number;
    readonly type?: string;
    readonly location?: string;
    readonly body?: Buffer | undefined;
  }
  type Instead = (path: string) => Answer | undefined;

  /** Serves files below any path, but for what it answers instead. */
  const host = (instead: Instead = () => undefined, files = whole) =>
    listen((request, response) => {
      const path = (request.url ?? '/').replace(/^\/(?:mirror\/)?/, '').replace(/\?.*/, '');
      const usual = files.get(path);
      const {
        body = usual,
        status = body === undefined ? 404 : 200,
        type = contentTypeOf(path),
        location,
      } = instead(path) ?? {};
      if (type !== '') response.setHeader('Content-Type', type);
      if (location !== undefined) response.setHeader('Location', location);
      response.writeHead(status).end(body);
    });
  const auditHost = async (instead?: Instead, files?: Files) =>
    verifyTree(httpSource(await host(instead, files)), tree.root.rootKey);

  it('that serves the tree right is judged as the folder is, also below a sub-path', async () => {
    for (const below of ['', '/mirror']) {
      const report = await verifyTree(httpSource((await host()) + below), tree.first.rootKey);
      expect(problems(report)).toBe('');
      expect(report.rotatedFrom).toBe(tree.first.rootKey.thumbprint);
      const others = report.checks.filter(({ result }) => result !== 'passed');
      expect(others.map(({ name }) => name)).toEqual(['log']);
    }
  });

  it('may hide the files that configure it, and have a file of sums too many, which nobody can list', async () => {
    const hidden = ['.htaccess', '_headers', 'serve.json', 'issuers/.htaccess', '.nojekyll'];
    const more = new Map(whole).set('sums/00', Buffer.from('x'));
    const report = await auditHost((path) => (hidden.includes(path) ? { status: 403 } : undefined), more);
    expect(problems(report)).toBe('');
  });

  it.each<[string, Instead, string[], string]>([
    [
      'records without a type',
      (path) => (path.startsWith('issuers/') ? { type: '' } : undefined),
      ['content types'],
      'issuers/issuer-00 is served with no content type, expected application/json',
    ],
    [
      'the signature as PGP',
      (path) => (path === 'issuers.sig' ? { type: 'application/pgp-signature' } : undefined),
      ['content types'],
      'issuers.sig is served with application/pgp-signature, expected text/plain',
    ],
    [
      'a page for every unknown id',
      (path) => (path.startsWith('issuers/no-such') ? { body: Buffer.from('<html>') } : undefined),
      ['unknown id'],
      'expected 404',
    ],
    [
      'a redirect for a record',
      (path) => (path === 'issuers/issuer-01' ? { status: 301, location: '/elsewhere' } : undefined),
      ['records'],
      'responds with 301, a redirect to /elsewhere',
    ],
    [
      'an error in place of the list',
      (path) => (path === 'issuers.json' ? { status: 500 } : undefined),
      ['signature', 'checksums'],
      'responds with 500',
    ],
    [
      'an error in place of names and reasons, which a registry need not have',
      (path) => (path === 'about.json' ? { status: 500 } : undefined),
      ['about', 'checksums'],
      'about.json responds with 500',
    ],
    [
      'an old record',
      (path) => (path === 'issuers/issuer-01' ? { body: Buffer.from('{}') } : undefined),
      ['records'],
      'issuers/issuer-01 is not its entry in the list',
    ],
    [
      'no sums',
      (path) => (path === 'sums/root' ? { status: 404 } : undefined),
      ['sums', 'checksums'],
      'sums/root is missing',
    ],
  ])('that serves %s is refused', async (_name, instead, expected, problem) => {
    const report = await auditHost(instead);
    expect(failed(report)).toEqual(expected);
    expect(problems(report)).toContain(problem);
  });

  it.each([
    ['issuers.sig', 1],
    ['statements.json', 1],
    ['statements.json', 2],
    ['SHA256SUMS', 1],
  ])('that replaces %s while it is verified is read again: %i times', async (path, times) => {
    const more = new Map(tree.files).set('news.json', Buffer.from('{}'));
    const next = together(await resealed(await restated(more, tree.root, { sequence: 9 }), tree.online));
    const old = path === 'issuers.sig' ? Buffer.from('A'.repeat(86)) : whole.get(path);
    // The old file, once or twice, among files of the next publication: a new verification reads it again.
    let reads = 0;
    const instead = (asked: string) => (asked === path && reads++ < times ? { body: old } : undefined);
    expect([problems(await auditHost(instead, next)), reads > times]).toEqual(['', true]);
  });

  it('that does not fit its tree is not read more often than a publication explains', async () => {
    const next = together(
      await resealed(await restated(tree.files, tree.root, { sequence: 9 }), tree.online),
    );
    let reads = 0;
    const count = (path: string) => {
      if (path === 'SHA256SUMS') reads += 1;
      return undefined;
    };
    const torn = new Map(next).set('SHA256SUMS', Buffer.from(`${whole.get('SHA256SUMS')}x`));
    expect((await auditHost(count, torn)).ok).toBe(false);
    // The verification, and the comparison afterwards.
    expect(reads).toBe(2);
  });
});

describe('passport-registry verify', () => {
  const verify = (...args: string[]) => cli(['verify', ...args], tree.folder);

  it.each([
    ['the key of the tree', ['root.json'], 0, undefined],
    ['the key before the rotation', ['first.json'], 0, 'first'],
    ['another key', ['stranger.json'], 1, undefined],
  ] as const)('under %s ends with its code', async (_what, anchor, expected, rotatedFrom) => {
    const { code, stdout } = await verify('dist', '--trust-anchor', ...anchor, '--json');
    const before = rotatedFrom && tree[rotatedFrom].rootKey.thumbprint;
    expect([code, JSON.parse(stdout)]).toMatchObject([
      expected,
      { ok: expected === 0, pinned: true, ...(before && { rotatedFrom: before }) },
    ]);
  });

  it('says what a verification without a pinned key does not prove', async () => {
    const { code, stdout, stderr } = await verify('dist', '--json');
    expect([code, JSON.parse(stdout).pinned]).toEqual([0, false]);
    expect(stderr).toContain('note: without --trust-anchor');
  });

  it('ends with 4 for a host that is away, and nothing that was not looked at is good', async () => {
    const { code, stdout } = await verify(`http://127.0.0.1:${await freePort()}`, '--json');
    const { ok, unreachable, checks } = JSON.parse(stdout);
    expect([code, ok, unreachable]).toEqual([4, false, true]);
    const results = new Set((checks as TreeReport['checks']).slice(1).map(({ result }) => result));
    expect(results).toEqual(new Set(['skipped']));
  });

  it.each(['nowhere', 'https://'])('ends with 2 where there is no tree: %s', async (where) => {
    expect((await verify(where)).code).toBe(2);
  });
});

/** Files whose content the root key or the online key vouches for, record by record. */
const BOUND =
  /^(?:issuers\.json|issuers\.sig|publication\.jwt|sums\/[^.].*|issuers\/issuer-.*|keys\/.*|lists\/.*)$/;
const HOSTILE = [
  ...['', 'null', '[]', '{}', '"x"', '[[[[', '\ufeff', '{"a":1e400}', '{"__proto__":{}}', '<html>', '\0'],
  ...['a.b.c', '..', '['.repeat(5000)],
];

describe('a tree with one damaged file', () => {
  const damage = fc.oneof(
    fc.record({ kind: fc.constant('flip' as const), at: fc.nat(), bit: fc.nat(7) }),
    fc.record({ kind: fc.constant('cut' as const), at: fc.nat() }),
    fc.record({
      kind: fc.constant('insert' as const),
      at: fc.nat(),
      bytes: fc.uint8Array({ minLength: 1, maxLength: 8 }),
    }),
    fc.record({ kind: fc.constant('replace' as const), text: fc.constantFrom(...HOSTILE) }),
    fc.record({ kind: fc.constant('swap' as const), with: fc.nat() }),
  );
  type Damage = typeof damage extends fc.Arbitrary<infer T> ? T : never;

  function damaged(files: Files, path: string, how: Damage): Buffer {
    const bytes = Buffer.from(files.get(path) as Buffer);
    if (how.kind === 'replace') return Buffer.from(how.text);
    if (how.kind === 'swap') return [...files.values()].at(how.with % files.size) as Buffer;
    const at = bytes.length === 0 ? 0 : how.at % bytes.length;
    if (how.kind === 'cut') return bytes.subarray(0, at);
    if (how.kind === 'insert') return Buffer.concat([bytes.subarray(0, at), how.bytes, bytes.subarray(at)]);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << how.bit);
    return bytes;
  }

  it('is never good, nor after a thief of the online key has sealed it anew where a signature binds it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), damage, async (index, how) => {
        const path = [...tree.files.keys()].at(index % tree.files.size) as string;
        const bytes = damaged(tree.files, path, how);
        if (bytes.equals(tree.files.get(path) as Buffer)) return;
        const files = new Map(tree.files).set(path, bytes);
        expect([path, (await audit(files)).ok]).toEqual([path, false]);
        if (!BOUND.test(path)) return;
        const report = await verifyTree(treeIn(await resealed(files, tree.online)), tree.first.rootKey);
        // White space around a signature is allowed.
        const trimmed =
          path === 'issuers.sig' && bytes.toString().trim() === tree.files.get(path)?.toString();
        expect([path, report.ok]).toEqual([path, trimmed]);
      }),
      { numRuns: rounds({ usual: 40, soak: 3000 }) },
    );
  });
});
