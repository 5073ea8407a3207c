import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes } from '@passport-registry/verifier/core';
import { folderSource, httpSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { contentTypeOf, listen } from '../../support/serving.js';
import {
  claimsOf,
  jwt,
  rawJwt,
  resealed,
  restated,
  type SignedTree,
  seconds,
  sha256,
  signedTree,
} from '../../support/signed-tree.js';
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
const list = () => JSON.parse(file('issuers.json').toString());
/** Whether a path is that of a list before the current one, which need not be there. */
const isOlder = (path: string) => path.startsWith('lists/') && !path.includes(sha256(file('issuers.json')));
/** The path of a list before the current one. */
const older = () => [...tree.files.keys()].find(isOlder) as string;

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
  const online = 'registry-checkpoint+jwt';
  const rotation = (change: (steps: string[]) => unknown) => (files: Files) => {
    const steps = JSON.parse(file('keys/rotation.json').toString());
    files.set('keys/rotation.json', Buffer.from(JSON.stringify(change(steps))));
  };
  type Key = 'first' | 'root' | 'stranger' | 'online';
  const step = (from: Key, to: Key, more: object = {}) =>
    jwt(tree[from], 'registry-root-rotation+jwt', {
      iat: seconds(-60),
      next_root: tree[to].rootKey.jwk,
      ...more,
    });
  const put = (path: string, text: string | Buffer) => (files: Files) => files.set(path, Buffer.from(text));

  /** statements.json with a text in place of another. */
  const statements = (from: string | RegExp, to: string) => (files: Files) =>
    files.set('statements.json', Buffer.from(wholeFile('statements.json').toString().replace(from, to)));

  it.each<[string, (files: Files) => unknown]>([
    ['is missing', (files) => files.delete('statements.json')],
    ['is empty', put('statements.json', '')],
    ['is not JSON', statements(/\}$/, '')],
    ['is an array', put('statements.json', '[]')],
    ['is null', put('statements.json', 'null')],
    ['has a byte order mark', statements(/^/, '\ufeff')],
    ['is not UTF-8', (files) => files.set('statements.json', Buffer.from([0x7b, 0xff, 0x7d]))],
    ['has a member twice', statements(/^\{/, '{"publication":"x",')],
    ['has no publication', (files) => setMember(files, 'publication', undefined)],
    ['has no checkpoint', (files) => setMember(files, 'checkpoint', undefined)],
    ['has a publication that is null', (files) => setMember(files, 'publication', null)],
    ['has a checkpoint that is null', (files) => setMember(files, 'checkpoint', null)],
    ['has a rotation that is null', (files) => setMember(files, 'rotation', null)],
    ['has a log_proof that is null', (files) => setMember(files, 'log_proof', null)],
    ['has a publication that is an array', (files) => setMember(files, 'publication', ['x'])],
    ['has a rotation that is no array', (files) => setMember(files, 'rotation', {})],
    ['has a rotation of other things than strings', (files) => setMember(files, 'rotation', [1])],
    ['is nested deep', (files) => put('statements.json', '{"x":'.repeat(100_000))(files)],
    ['has white space', statements(/^\{/, '{ ')],
    ['has a final newline', statements(/$/, '\n')],
    ['has another order of members', reversed],
  ])('statements.json, but not so that it %s', async (_name, alter) => {
    const files = whole();
    alter(files);
    expect(failed(await audit(files))).toContain('statements');
  });

  function setMember(files: Files, name: string, value: unknown): void {
    const members = { ...JSON.parse(wholeFile('statements.json').toString()), [name]: value };
    files.set('statements.json', Buffer.from(canonicalBytes(JSON.parse(JSON.stringify(members)))));
  }

  function reversed(files: Files): void {
    const members = Object.entries(JSON.parse(wholeFile('statements.json').toString())).reverse();
    files.set('statements.json', Buffer.from(JSON.stringify(Object.fromEntries(members))));
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

  it('an empty rotation is as none, and a proof of a log without a log is refused', async () => {
    const files = whole();
    setMember(files, 'log_proof', 'c2sp.org/tlog-proof@v1\n');
    expect(failed(await audit(files))).toEqual(['log']);
    setMember(files, 'rotation', []);
    expect(failed(await audit(files))).toEqual([]);
  });

  it('no rotation that is too large', async () => {
    const files = whole();
    setMember(files, 'rotation', ['x'.repeat(256 * 1024)]);
    expect(failed(await audit(files))).toContain('rotation');
  });

  it('a rotation with a step that is no JWT', async () => {
    const files = new Map(tree.files);
    rotation((steps) => [...steps, 'x'])(files);
    const report = await audit(await resealed(files, tree.online));
    expect(failed(report)).toContain('rotation');
    expect(problems(report)).toMatch(/step 2/);
  });

  it.each<[string, () => Promise<string[]>, RegExp]>([
    [
      'that goes on to another key',
      async () => [await step('first', 'root'), await step('root', 'stranger')],
      /leads to/,
    ],
    ['that comes back', async () => [await step('first', 'root'), await step('root', 'first')], /returns to/],
    [
      'with two successors of one key',
      async () => [await step('first', 'root'), await step('first', 'stranger')],
      /the step after the root key \S+ is signed by/,
    ],
    [
      'with a gap',
      async () => [await step('stranger', 'first'), await step('root', 'stranger')],
      /the step after the root key \S+ is signed by/,
    ],
    [
      'to a key to which the step before does not commit',
      async () => [
        await step('stranger', 'first'),
        await step('first', 'root', { next_roots: ['A'.repeat(43)] }),
        await step('root', 'online'),
      ],
      /step 3 of the rotation is refused: the root key \S+ may be followed only by A{43}, not by/,
    ],
    [
      'that commits to the first root key, which is in no step',
      async () => [await step('first', 'root', { next_roots: [tree.first.rootKey.thumbprint] })],
      /step 1 of the rotation is refused: .* next_roots with \S+, an earlier root key/,
    ],
    [
      'that commits a key to itself',
      async () => [await step('first', 'root', { next_roots: [tree.root.rootKey.thumbprint] })],
      /next_roots with \S+, an earlier root key/,
    ],
    [
      'that commits to nothing',
      async () => [await step('first', 'root', { next_roots: [] })],
      /next_roots that are not 1 to 3 distinct thumbprints/,
    ],
    ['that ends elsewhere', async () => [await step('first', 'stranger')], /leads to/],
    [
      'with a step by another than its key',
      async () => [
        await step('stranger', 'first'),
        rawJwt(
          { ...tree.stranger, rootKey: tree.first.rootKey },
          'registry-root-rotation+jwt',
          JSON.stringify({ iat: 1, next_root: tree.root.rootKey.jwk }),
        ),
      ],
      /step 2 of the rotation is refused: the step after the root key \S+ is not signed/,
    ],
  ])('a rotation %s', async (_name, steps, problem) => {
    const files = new Map(tree.files).set('keys/rotation.json', Buffer.from(JSON.stringify(await steps())));
    const report = await audit(await resealed(files, tree.online));
    expect(failed(report)).toContain('rotation');
    expect(problems(report)).toMatch(problem);
  });

  it('a rotation, but not as if a first step that nobody can verify committed a key', async () => {
    const steps = [
      await step('stranger', 'first', { next_roots: ['A'.repeat(43)] }),
      await step('first', 'root'),
    ];
    const files = new Map(tree.files).set('keys/rotation.json', Buffer.from(JSON.stringify(steps)));
    expect(problems(await audit(await resealed(files, tree.online)))).toBe('');
  });

  it.each<[string, (files: Files) => unknown, RegExp]>([
    [
      'with another hash than its name',
      (files) => files.set(older(), file('issuers.json')),
      /does not have the hash in its name/,
    ],
    [
      'with another name',
      (files) => files.set('lists/x.json', file('issuers.json')),
      /not a list that is named/,
    ],
    [
      'that is the newest, and missing',
      (files) => files.delete(`lists/${sha256(file('issuers.json'))}.json`),
      /lists\/[0-9a-f]{64}\.json is missing/,
    ],
  ])('a list %s', async (_name, alter, problem) => {
    const files = new Map(tree.files);
    alter(files);
    const report = await audit(await resealed(files, tree.online));
    expect(failed(report)).toEqual(['lists']);
    expect(problems(report)).toMatch(problem);
  });

  it('not whether older lists are there', async () => {
    const files = new Map(tree.files);
    files.delete(older());
    expect(problems(await audit(await resealed(files, tree.online)))).toBe('');
  });

  it.each<[string, (files: Files) => unknown, RegExp]>([
    [
      'changes.json that is not JSON',
      put('changes.json', '{'),
      /changes.json is not in the form that a build writes/,
    ],
    [
      'changes.json of another shape',
      put('changes.json', '{"changes":{},"since":"y"}'),
      /not in the form that a build writes/,
    ],
    [
      'changes.json with a member twice',
      (files) =>
        files.set(
          'changes.json',
          Buffer.from(file('changes.json').toString().replace('{"changes":', '{"since":1,"changes":')),
        ),
      /not in the form that a build writes/,
    ],
    [
      'changes.json with white space',
      (files) => files.set('changes.json', Buffer.concat([file('changes.json'), Buffer.from('\n')])),
      /canonical/,
    ],
  ])('%s', async (_name, alter, problem) => {
    const files = new Map(tree.files);
    alter(files);
    const report = await audit(await resealed(files, tree.online));
    expect(failed(report)).toEqual(['changes']);
    expect(problems(report)).toMatch(problem);
  });

  it('statements with padding, white space, a byte order mark or hostile numbers', async () => {
    const good = file('checkpoint.jwt').toString();
    const claims = JSON.stringify(claimsOf(file('checkpoint.jwt')));
    const altered = (from: RegExp, to: string) => rawJwt(tree.online, online, claims.replace(from, to));
    const texts = [
      `${good}==`,
      `${good}\n`,
      ` ${good}`,
      `\ufeff${good}`,
      good.replace('.', '.\n'),
      altered(/"exp":\d+/, '"exp":1e400'),
      altered(/"exp":\d+/, '"exp":9007199254740993'),
      altered(/"exp":\d+/, '"exp":-1'),
      altered(/"exp":\d+/, '"exp":"x"'),
      altered(/"exp":\d+/, '"exp":1.5'),
      altered(/"exp":(\d+)/, '"exp":1,"exp":$1'),
      altered(/^\{/, `{"x":${'['.repeat(600)}${']'.repeat(600)},`),
      altered(/"iat":\d+/, '"iat":1e400'),
    ];
    expect(altered(/x/, 'x')).toBe(good);
    for (const text of texts) {
      const report = await audit(new Map(tree.files).set('checkpoint.jwt', Buffer.from(text)));
      expect([text.slice(0, 20), failed(report)]).toEqual([text.slice(0, 20), ['checkpoint']]);
    }
    for (const [path, check] of [
      ['issuers.sig', 'signature'],
      ['keys/root.json', 'root key'],
      ['SHA256SUMS', 'checksums'],
    ] as const) {
      const marked = new Map(tree.files).set(path, Buffer.concat([BOM, file(path)]));
      const files = path === 'SHA256SUMS' ? marked : await resealed(marked, tree.online);
      expect([path, failed(await audit(files))]).toEqual([path, expect.arrayContaining([check])]);
    }
  });

  it('an end beyond all calendars is refused, and no crash', async () => {
    const claims = JSON.stringify(claimsOf(file('checkpoint.jwt'))).replace(
      /"exp":\d+/,
      `"exp":${Number.MAX_SAFE_INTEGER}`,
    );
    const files = new Map(tree.files).set('checkpoint.jwt', Buffer.from(rawJwt(tree.online, online, claims)));
    expect(failed(await audit(files))).toEqual(['checkpoint']);
  });

  it('the checkpoint of another publication or tree, or dated after the time of the online keys', async () => {
    const { online: claim } = claimsOf(file('publication.jwt')) as { online: { exp: number } };
    const { iat, exp } = claimsOf(file('checkpoint.jwt')) as { iat: number; exp: number };
    const life = exp - iat;
    const outcomes: [Record<string, unknown>, string[], number?][] = [
      [{}, []],
      [{ publication: '0'.repeat(64) }, ['checkpoint']],
      [{ publication: sha256(file('publication.jwt')) }, ['checkpoint']],
      [{ tree_sha256: '0'.repeat(64) }, ['freshness']],
      [{ iat: claim.exp + 1, exp: claim.exp + 1 + life }, ['checkpoint'], claim.exp],
      [{ iat: claim.exp, exp: claim.exp + life }, [], claim.exp],
    ];
    for (const [claims, expected, now = seconds()] of outcomes) {
      const report = await audit(await resealed(tree.files, tree.online, claims), now * 1000);
      expect([claims, failed(report)]).toEqual([claims, expected]);
    }
  });

  it('no publication that follows: a stranger is no online key, and nobody else signs a publication', async () => {
    const stranger = await resealed(tree.files, tree.stranger);
    expect(failed(await audit(stranger))).toEqual(['checkpoint']);
    const stated = await resealed(await restated(tree.files, tree.online, {}), tree.online);
    expect(failed(await audit(stated))).toEqual(['publication']);
  });

  it('no hold, where the publication does not let online keys hold issuers', async () => {
    const held = (files: ReadonlyMap<string, Buffer>) =>
      resealed(files, tree.online, { hold: ['issuer-01'] });
    expect((await audit(await held(tree.files))).hold).toEqual(['issuer-01']);
    const { online: claim } = claimsOf(file('publication.jwt')) as { online: object };
    const denied = await restated(tree.files, tree.root, { online: { ...claim, hold: false } });
    expect(failed(await audit(await held(denied)))).toEqual(['checkpoint']);
  });
});

describe('the clock', () => {
  const MINUTE = 60_000;
  it('may differ by five minutes from the list', async () => {
    const at = Date.parse(list().updated_at);
    const iat = at / 1000 - 600;
    const files = await resealed(await restated(tree.files, tree.root, { iat }), tree.online, { iat });
    expect(failed(await audit(files, at - 5 * MINUTE - 1))).toEqual(['freshness']);
    expect(failed(await audit(files, at - 5 * MINUTE))).toEqual([]);
  });

  it('may differ by five minutes from statements, either way', async () => {
    const iat = claimsOf(file('checkpoint.jwt')).iat as number;
    const exp = claimsOf(file('checkpoint.jwt')).exp as number;
    const at = async (now: number) => failed(await audit(tree.files, now));
    expect(await at(exp * 1000 + 5 * MINUTE - 1)).toEqual([]);
    expect(await at(exp * 1000 + 5 * MINUTE)).toEqual(['freshness']);
    const later = await resealed(tree.files, tree.online, { iat: iat + 3600, exp: exp + 3600 });
    expect(failed(await audit(later, (iat + 3600) * 1000 - 5 * MINUTE))).not.toContain('freshness');
    expect(failed(await audit(later, (iat + 3600) * 1000 - 5 * MINUTE - 1))).toContain('freshness');
  });

  it('refuses a publication ahead of time', async () => {
    const files = await resealed(await restated(tree.files, tree.root, { iat: seconds(3600) }), tree.online);
    const report = await audit(files);
    expect(failed(report)).toEqual(['freshness']);
    expect(problems(report)).toContain('the publication statement is valid from');
  });

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
const BOM = Buffer.from([0xef, 0xbb, 0xbf]);
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
