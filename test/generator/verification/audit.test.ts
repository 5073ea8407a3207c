import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { folderSource, httpSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { contentTypeOf, listen } from '../../support/serving.js';
import { resealed, type SignedTree, sha256, signedTree } from '../../support/signed-tree.js';
import { rounds } from '../../support/soak.js';
import { treeIn } from '../../support/sources.js';
import { together } from '../../support/statements.js';
import { cli, clockAhead, temporaryFolder, writeFiles } from '../../support/workspace.js';

type Files = Map<string, Buffer>;

let tree: SignedTree;

beforeAll(async () => {
  tree = await signedTree();
});

const file = (path: string) => tree.files.get(path) as Buffer;
/** Whether a path is that of a list before the current one, which need not be there. */
const isOlder = (path: string) => path.startsWith('lists/') && !path.includes(sha256(file('issuers.json')));

const audit = (files: ReadonlyMap<string, Buffer>, now?: number) =>
  verifyTree(treeIn(files), tree.root.rootKey, now === undefined ? {} : { now: () => now });
const failed = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
const problems = ({ checks }: TreeReport) =>
  checks.flatMap(({ result, problems: texts }) => (result === 'failed' ? texts : [])).join('\n');

/** The tree as it is published: its statements are in statements.json. */
const whole = () => together(tree.files);
const wholeFile = (path: string) => whole().get(path) as Buffer;

describe('a tree that has everything', () => {
  it('is good, under the root key and under the one before', async () => {
    for (const pinned of [tree.root.rootKey, tree.first.rootKey, undefined]) {
      const report = await verifyTree(treeIn(tree.files), pinned);
      expect(problems(report)).toBe('');
      const skipped = report.checks.filter(({ result }) => result !== 'passed').map(({ name }) => name);
      expect(skipped).toEqual(['log', 'unknown id', 'content types']);
      const rotated = pinned === tree.first.rootKey;
      expect(report.rotatedFrom).toBe(rotated ? pinned?.thumbprint : undefined);
    }
  });

  it('says on the command line that the pinned key was rotated', async () => {
    const { code, stdout } = await cli(['verify', 'dist', '--trust-anchor', 'first.json'], tree.folder);
    expect(stdout).toContain(
      `${tree.first.rootKey.thumbprint} was rotated to ${tree.root.rootKey.thumbprint}`,
    );
    expect(code).toBe(0);
    const stranger = await cli(['verify', 'dist', '--trust-anchor', 'stranger.json'], tree.folder);
    expect([stranger.code, stranger.stdout]).toEqual([
      1,
      expect.stringContaining('the rotation does not lead there'),
    ]);
  });
});

describe('of a tree, whoever holds the online key can alter', () => {
  function setMember(files: Files, name: string, value: unknown): void {
    const members = { ...JSON.parse(wholeFile('statements.json').toString()), [name]: value };
    files.set('statements.json', Buffer.from(canonicalBytes(JSON.parse(JSON.stringify(members)))));
  }

  it('statements.json, with members that a later version may add, which are told', async () => {
    const files = whole();
    setMember(files, 'news', { of: null });
    const report = await audit(files);
    expect([failed(report), report.notes.map(({ code, path }) => [code, path])]).toEqual([
      [],
      [['member-unknown', 'statements.json']],
    ]);
  });
});

describe('the clock', () => {
  it('refuses a checkpoint of the root key after a month on the command line, and a build can still be made', async () => {
    const folder = temporaryFolder();
    const from = ['--issuers', join(tree.folder, 'issuers'), '--key', join(tree.folder, 'root.pem')];
    const later = clockAhead(31 * 24 * 60);
    expect((await cli(['build', ...from], folder)).code).toBe(0);
    expect((await cli(['verify', 'dist'], folder)).code).toBe(0);
    const { code, stdout } = await cli(['verify', 'dist'], folder, later);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/FAILED {2}freshness\n/)]);
    expect((await cli(['build', ...from], folder, later)).code).toBe(0);
    expect((await cli(['verify', 'dist'], folder, later)).code).toBe(0);
  });
});

describe('a tree in a folder', () => {
  function written(): string {
    const folder = temporaryFolder();
    writeFiles(folder, Object.fromEntries(whole()));
    return folder;
  }

  it('with a folder in the place of any file is not good, and no crash', async () => {
    const folder = written();
    for (const [path, bytes] of whole()) {
      if (isOlder(path)) continue;
      rmSync(join(folder, path));
      mkdirSync(join(folder, path));
      const report = await verifyTree(folderSource(folder), tree.root.rootKey);
      expect([path, report.ok]).toEqual([path, false]);
      expect(problems(report)).toContain(`${path} is a folder`);
      rmSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
  });

  it('with a file in the place of any folder is not good, and ends with 1', async () => {
    for (const path of ['issuers', 'keys', 'lists', 'sums', 'schemas', 'assets']) {
      const folder = written();
      rmSync(join(folder, path), { recursive: true });
      writeFileSync(join(folder, path), 'x');
      const { code, stdout } = await cli(['verify', folder, '--trust-anchor', 'root.json'], tree.folder);
      expect([path, code, stdout]).toEqual([path, 1, expect.stringContaining('FAILED')]);
    }
  });

  it('is not read where a file is larger than its limit', async () => {
    const folder = written();
    for (const [path, size] of [
      ['statements.json', 1024 * 1024],
      ['issuers.sig', 256],
      ['issuers/issuer-03', 64 * 1024],
    ] as const) {
      for (const [more, found] of [
        [1, true],
        [0, false],
      ] as const) {
        writeFileSync(join(folder, path), Buffer.alloc(size + more));
        const report = await verifyTree(folderSource(folder), tree.root.rootKey);
        expect([path, report.ok, problems(report).includes(`${path} is larger than ${size} bytes`)]).toEqual([
          path,
          false,
          found,
        ]);
      }
      writeFileSync(join(folder, path), wholeFile(path));
    }
  });
});

describe('a live host', () => {
  it('that sends a bomb is refused within the limit', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.from('['.repeat(20_000_000)));
    const base = await listen((request, response) => {
      const path = (request.url ?? '/').slice(1).replace(/\?.*/, '');
      const body = whole().get(path);
      const type = { 'Content-Type': contentTypeOf(path) };
      if (path === 'statements.json')
        response.writeHead(200, { ...type, 'Content-Encoding': 'gzip' }).end(bomb);
      else response.writeHead(body === undefined ? 404 : 200, type).end(body);
    });
    const report = await verifyTree(httpSource(base), tree.root.rootKey);
    expect(failed(report)).toContain('statements');
    expect(problems(report)).toContain('larger than 1048576 bytes');
  });

  it('that serves the tree is judged as the folder is', async () => {
    const base = await listen((request, response) => {
      const path = (request.url ?? '/').slice(1).replace(/\?.*/, '');
      const body = whole().get(path);
      response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': contentTypeOf(path) }).end(body);
    });
    const report = await verifyTree(httpSource(base), tree.first.rootKey);
    expect(problems(report).replaceAll(/.*is served with.*\n?/g, '')).toBe('');
    expect(report.rotatedFrom).toBe(tree.first.rootKey.thumbprint);
  });
});

/** Files whose content the root key or the online key vouches for, record by record. */
const BOUND =
  /^(?:issuers\.json|issuers\.sig|publication\.jwt|sums\/[^.].*|issuers\/issuer-.*|keys\/.*|checkpoint\.jwt|lists\/.*)$/;
const HOSTILE = [
  '',
  'null',
  '[]',
  '{}',
  '"x"',
  '[[[[',
  '\ufeff',
  '{"a":1e400}',
  '{"__proto__":{}}',
  '<html>',
  '\0',
  'a.b.c',
  '..',
  '['.repeat(5000),
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
    fc.record({ kind: fc.constant('delete' as const) }),
  );

  function damaged(
    tree: ReadonlyMap<string, Buffer>,
    path: string,
    how: typeof damage extends fc.Arbitrary<infer T> ? T : never,
  ): Buffer | undefined {
    const bytes = Buffer.from(tree.get(path) as Buffer);
    if (how.kind === 'replace') return Buffer.from(how.text);
    if (how.kind === 'swap') return [...tree.values()].at(how.with % tree.size);
    if (how.kind === 'delete') return undefined;
    const at = bytes.length === 0 ? 0 : how.at % bytes.length;
    if (how.kind === 'cut') return bytes.subarray(0, at);
    if (how.kind === 'insert') return Buffer.concat([bytes.subarray(0, at), how.bytes, bytes.subarray(at)]);
    bytes[at] = (bytes[at] ?? 0) ^ (1 << how.bit);
    return bytes;
  }

  it('is never good, and never a crash, whatever the damage', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), damage, async (index, how) => {
        const files = whole();
        const path = [...files.keys()].at(index % files.size) as string;
        const bytes = damaged(files, path, how);
        if (bytes?.equals(wholeFile(path)) || (bytes === undefined && isOlder(path))) return;
        if (bytes === undefined) files.delete(path);
        else files.set(path, bytes);
        expect([path, (await audit(files)).ok]).toEqual([path, false]);
      }),
      { numRuns: rounds({ usual: 40, soak: 3000 }) },
    );
  });

  it('and checksums and checkpoint made right again by a thief of the online key, is not good where a signature binds it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(), damage, async (index, how) => {
        const path = [...tree.files.keys()].at(index % tree.files.size) as string;
        const bytes = damaged(tree.files, path, how);
        if (path === 'checkpoint.jwt' || path === 'SHA256SUMS' || bytes?.equals(file(path))) return;
        const files = new Map(tree.files);
        if (bytes === undefined) files.delete(path);
        else files.set(path, bytes);
        const report = await verifyTree(treeIn(await resealed(files, tree.online)), tree.first.rootKey);
        if (!BOUND.test(path) || (bytes === undefined && isOlder(path))) return;
        // White space around a signature is allowed.
        const trimmed = path === 'issuers.sig' && bytes?.toString().trim() === file(path).toString();
        expect([path, report.ok]).toEqual([path, trimmed]);
      }),
      { numRuns: rounds({ usual: 40, soak: 3000 }) },
    );
  });
});
