import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
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
import { cli, temporaryFolder } from '../../support/workspace.js';

type Files = Map<string, Buffer>;

let tree: SignedTree;

beforeAll(async () => {
  tree = await signedTree();
});

const file = (path: string) => tree.files.get(path) as Buffer;
const list = () => JSON.parse(file('issuers.json').toString());
/** The path of a list before the current one. */
const older = () =>
  [...tree.files.keys()].find(
    (path) => path.startsWith('lists/') && !path.includes(sha256(file('issuers.json'))),
  ) as string;

const audit = (files: ReadonlyMap<string, Buffer>, now?: number) =>
  verifyTree(treeIn(files), tree.root.rootKey, now === undefined ? {} : { now: () => now });
const failed = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
const problems = ({ checks }: TreeReport) =>
  checks.flatMap(({ result, problems: texts }) => (result === 'failed' ? texts : [])).join('\n');

/** The tree without its checkpoint, which its statement no longer promises. */
async function withoutCheckpoint(): Promise<Files> {
  const files = await restated(tree.files, tree.root, { checkpoint: undefined });
  files.delete('checkpoint.jwt');
  return files;
}

describe('a tree that has everything', () => {
  it('is good, under the root key and under the one before', async () => {
    for (const pinned of [tree.root.rootKey, tree.first.rootKey, undefined]) {
      const report = await verifyTree(treeIn(tree.files), pinned);
      expect(problems(report)).toBe('');
      const skipped = report.checks.filter(({ result }) => result !== 'passed').map(({ name }) => name);
      expect(skipped).toEqual(['log', 'statements', 'unknown id', 'content types']);
      const rotated = pinned === tree.first.rootKey;
      expect(report.rotatedFrom).toBe(rotated ? pinned?.thumbprint : undefined);
    }
  });

  it('says on the command line that the pinned key was rotated', async () => {
    const { code, stdout } = await cli(['verify', 'dist', '--root-key', 'first.json'], tree.folder);
    expect(stdout).toContain(
      `${tree.first.rootKey.thumbprint} was rotated to ${tree.root.rootKey.thumbprint}`,
    );
    expect(code).toBe(0);
    const stranger = await cli(['verify', 'dist', '--root-key', 'stranger.json'], tree.folder);
    expect([stranger.code, stranger.stdout]).toEqual([
      1,
      expect.stringContaining('keys/rotation.json does not lead there'),
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

  it.each<[string, (files: Files) => unknown, string, RegExp]>([
    ['a rotation that is not JSON', put('keys/rotation.json', '['), 'rotation', /not strict JSON/],
    [
      'a rotation with a byte order mark',
      (files) => files.set('keys/rotation.json', Buffer.concat([BOM, file('keys/rotation.json')])),
      'rotation',
      /JSON/,
    ],
    ['a rotation that is no array', put('keys/rotation.json', '{}'), 'rotation', /not an array/],
    [
      'a rotation nested deep',
      put('keys/rotation.json', '['.repeat(100_000)),
      'rotation',
      /nested more deeply/,
    ],
    ['a step that is no JWT', rotation((steps) => [...steps, 'x']), 'rotation', /step 2/],
  ])('%s', async (_name, alter, check, problem) => {
    const files = new Map(tree.files);
    alter(files);
    const report = await audit(await resealed(files, tree.online));
    expect(failed(report)).toContain(check);
    expect(problems(report)).toMatch(problem);
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
      /but the previous root key is/,
    ],
    [
      'with a gap',
      async () => [await step('stranger', 'first'), await step('root', 'stranger')],
      /but the previous root key is/,
    ],
    [
      'to a key to which the step before does not commit',
      async () => [
        await step('stranger', 'first'),
        await step('first', 'root', { next_roots: ['A'.repeat(43)] }),
        await step('root', 'online'),
      ],
      /step 3 of keys\/rotation.json is refused: the root key \S+ may be followed only by A{43}, not by/,
    ],
    [
      'that commits to the first root key, which is in no step',
      async () => [await step('first', 'root', { next_roots: [tree.first.rootKey.thumbprint] })],
      /step 1 of keys\/rotation.json is refused: next_roots of a step contain \S+, an earlier root key/,
    ],
    [
      'that commits a key to itself',
      async () => [await step('first', 'root', { next_roots: [tree.root.rootKey.thumbprint] })],
      /next_roots of a step contain/,
    ],
    [
      'that commits to nothing',
      async () => [await step('first', 'root', { next_roots: [] })],
      /next_roots of a step are not 1 to 3 distinct thumbprints/,
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
      /step 2 of keys\/rotation.json is refused: the step after the root key \S+ is not signed/,
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

  it('a delegation without a checkpoint that does not verify', async () => {
    const files = await withoutCheckpoint();
    expect(failed(await audit(await resealed(files, tree.online)))).toEqual([]);
    const forged = await jwt(tree.stranger, 'registry-delegation+jwt', claimsOf(file('keys/delegation.jwt')));
    const report = await audit(
      await resealed(new Map(files).set('keys/delegation.jwt', Buffer.from(forged)), tree.online),
    );
    expect(failed(report)).toEqual(['delegation']);
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

  it('an end beyond all calendars is an end, and no crash', async () => {
    const claims = JSON.stringify(claimsOf(file('checkpoint.jwt'))).replace(
      /"exp":\d+/,
      `"exp":${Number.MAX_SAFE_INTEGER}`,
    );
    const files = new Map(tree.files).set('checkpoint.jwt', Buffer.from(rawJwt(tree.online, online, claims)));
    expect(failed(await audit(files))).toEqual([]);
  });

  it('the checkpoint of another list, of another tree, or from outside of its delegation', async () => {
    const times = claimsOf(file('keys/delegation.jwt')) as { iat: number; exp: number };
    const now = seconds() * 1000;
    const outcomes: [Record<string, unknown>, string[]][] = [
      [{}, []],
      [{ size: 1 }, ['checkpoint']],
      [{ updated_at: '2020-01-01T00:00:00Z' }, ['checkpoint']],
      [{ sha256: '0'.repeat(64) }, ['checkpoint']],
      [{ tree_sha256: '0'.repeat(64) }, ['freshness']],
      [{ iat: times.iat - 1 }, ['checkpoint']],
      [{ iat: times.iat }, []],
    ];
    for (const [claims, expected] of outcomes) {
      expect([claims, failed(await audit(await resealed(tree.files, tree.online, claims), now))]).toEqual([
        claims,
        expected,
      ]);
    }
  });
});

describe('the clock', () => {
  const MINUTE = 60_000;
  const DAY = 24 * 60 * MINUTE;
  /** The tree without what expires. */
  const plain = async () => resealed(await withoutCheckpoint(), tree.online);

  it('may differ by five minutes from the list, and the list may be 30 days old without a checkpoint', async () => {
    const files = await plain();
    const at = Date.parse(list().updated_at);
    const results = await Promise.all(
      [-5 * MINUTE - 1, -5 * MINUTE, 0, 30 * DAY + 5 * MINUTE, 30 * DAY + 5 * MINUTE + 1].map(async (later) =>
        failed(await audit(files, at + later)),
      ),
    );
    // A client has the last word where the tree has statements, and judges by the clock of the system.
    expect(results).toEqual([['freshness'], [], [], [], ['freshness']]);
  });

  it('takes another maximum age', async () => {
    const files = await plain();
    const now = () => Date.parse(list().updated_at) + 40 * DAY;
    const within = (days: number) =>
      verifyTree(treeIn(files), tree.root.rootKey, { now, maxAge: days * 24 * 60 * 60 });
    expect(failed(await within(39))).toEqual(['freshness']);
    expect(failed(await within(40))).toEqual([]);
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

  it('refuses a delegation ahead of time, with a checkpoint and without', async () => {
    const claims = { ...claimsOf(file('keys/delegation.jwt')), iat: seconds(3600) };
    const text = Buffer.from(await jwt(tree.root, 'registry-delegation+jwt', claims));
    const files = new Map(tree.files).set('keys/delegation.jwt', text);
    expect(failed(await audit(await resealed(files, tree.online)))).toContain('checkpoint');
    const without = (await withoutCheckpoint()).set('keys/delegation.jwt', text);
    const report = await audit(await resealed(without, tree.online));
    expect(failed(report)).toEqual(['freshness']);
    expect(problems(report)).toContain('the delegation is valid from');
  });

  it('refuses a list of 40 days without a checkpoint on the command line, and a build can still be made', async () => {
    const old = new Date(Date.now() - 40 * DAY).toISOString().replace(/\.\d+Z/, 'Z');
    // A folder without the delegations of the tree, which would show that it has published.
    const folder = temporaryFolder();
    const from = ['--issuers', join(tree.folder, 'issuers'), '--key', join(tree.folder, 'root.pem')];
    const build = () => cli(['build', ...from, '--updated-at', old], folder);
    expect((await build()).code).toBe(0);
    const { code, stdout } = await cli(['verify', 'dist'], folder);
    expect([code, stdout]).toEqual([1, expect.stringMatching(/FAILED {2}freshness\n/)]);
    expect((await cli(['verify', 'dist', '--max-age', '41'], folder)).code).toBe(0);
    expect((await build()).code).toBe(0);
  });
});

describe('a tree in a folder', () => {
  function written(): string {
    const folder = temporaryFolder();
    for (const [path, bytes] of tree.files) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), bytes);
    }
    return folder;
  }

  it('with a folder in the place of any file is not good, and no crash', async () => {
    const folder = written();
    for (const [path, bytes] of tree.files) {
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
      const { code, stdout } = await cli(['verify', folder, '--root-key', 'root.json'], tree.folder);
      expect([path, code, stdout]).toEqual([path, 1, expect.stringContaining('FAILED')]);
    }
  });

  it('is not read where a file is larger than its limit', async () => {
    const folder = written();
    for (const [path, size] of [
      ['checkpoint.jwt', 16 * 1024],
      ['keys/rotation.json', 256 * 1024],
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
      writeFileSync(join(folder, path), file(path));
    }
  });
});

describe('a live host', () => {
  it('that sends a bomb is refused within the limit', async () => {
    const { gzipSync } = await import('node:zlib');
    const bomb = gzipSync(Buffer.from('['.repeat(20_000_000)));
    const base = await listen((request, response) => {
      const path = (request.url ?? '/').slice(1);
      const body = tree.files.get(path);
      const type = { 'Content-Type': contentTypeOf(path) };
      if (path === 'keys/rotation.json')
        response.writeHead(200, { ...type, 'Content-Encoding': 'gzip' }).end(bomb);
      else response.writeHead(body === undefined ? 404 : 200, type).end(body);
    });
    const report = await verifyTree(httpSource(base), tree.root.rootKey);
    expect(failed(report)).toContain('rotation');
    expect(problems(report)).toContain('larger than 262144 bytes');
  });

  it('that serves the tree is judged as the folder is', async () => {
    const base = await listen((request, response) => {
      const path = (request.url ?? '/').slice(1);
      const body = tree.files.get(path);
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
    path: string,
    how: typeof damage extends fc.Arbitrary<infer T> ? T : never,
  ): Buffer | undefined {
    const bytes = Buffer.from(file(path));
    if (how.kind === 'replace') return Buffer.from(how.text);
    if (how.kind === 'swap') return file([...tree.files.keys()].at(how.with % tree.files.size) as string);
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
        const path = [...tree.files.keys()].at(index % tree.files.size) as string;
        const bytes = damaged(path, how);
        if (bytes?.equals(file(path))) return;
        const files = new Map(tree.files);
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
        const bytes = damaged(path, how);
        if (path === 'checkpoint.jwt' || path === 'SHA256SUMS' || bytes?.equals(file(path))) return;
        const files = new Map(tree.files);
        if (bytes === undefined) files.delete(path);
        else files.set(path, bytes);
        const report = await verifyTree(treeIn(await resealed(files, tree.online)), tree.first.rootKey);
        if (!BOUND.test(path)) return;
        // White space around a signature is allowed.
        const trimmed = path === 'issuers.sig' && bytes?.toString().trim() === file(path).toString();
        expect([path, report.ok]).toEqual([path, trimmed]);
      }),
      { numRuns: rounds({ usual: 40, soak: 3000 }) },
    );
  });
});
