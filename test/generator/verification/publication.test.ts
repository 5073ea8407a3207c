import { createPrivateKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey } from '@passport-registry/verifier';
import { statementHash } from '@passport-registry/verifier/core';
import { httpSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentTypeOf, listen } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { claimsOf, resealed, restated, type SignerKey, seconds, sha256 } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';
import { together } from '../../support/statements.js';
import { cli, filesOf, recordText, workspace, writeFiles } from '../../support/workspace.js';

type Files = Map<string, Buffer>;

/** More than fit into one sums file, so that the tree of sums has one level. */
const ISSUERS = Array.from({ length: 80 }, (_one, index) => `issuer-${index}`);

let folder: string;
let key: SignerKey;
let stranger: SignerKey;
/** Two publications, one after the other. */
let older: Files = new Map();
let tree: Files = new Map();

beforeAll(async () => {
  folder = await workspace(ISSUERS);
  await cli(['keys', 'generate', '--no-passphrase', '--private', 'stranger.pem'], folder);
  key = await signer('key');
  stranger = await signer('stranger');
  const build = async (status: string) => {
    writeFiles(folder, { 'issuers/issuer-0.yaml': recordText('issuer-0', { status }) });
    const { code } = await cli(['build', '--key', 'key.pem', ...withKeys({ checkpoint: 'key.pem' })], folder);
    expect(code).toBe(0);
    return filesOf(join(folder, 'dist'));
  };
  older = await build('active');
  tree = await build('suspended');
});

async function signer(name: string): Promise<SignerKey> {
  const { stdout } = await cli(['keys', 'public', `${name}.pem`], folder);
  writeFiles(folder, { [`${name}.json`]: stdout });
  return {
    key: createPrivateKey(readFileSync(join(folder, `${name}.pem`))),
    rootKey: await importRootKey(JSON.parse(stdout)),
  };
}

const file = (path: string, files: Files = tree) => (files.get(path) ?? together(files).get(path)) as Buffer;
const failed = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
const problems = ({ checks }: TreeReport) =>
  checks.flatMap(({ result, problems: texts }) => (result === 'failed' ? texts : [])).join('\n');
const leaves = () => [...tree.keys()].filter((path) => /^sums\/[0-9a-f]$/.test(path));
const line = (path: string, files: Files = tree) => `${sha256(file(path, files))}  ${path}\n`;

describe('a tree of sums', () => {
  it('is good as it was built, and has one level', async () => {
    expect(claimsOf(file('publication.jwt'))).toMatchObject({ levels: 1, issuers: ISSUERS.length });
    expect(leaves().length).toBeGreaterThan(8);
    expect(problems(await verifyTree(treeIn(tree), key.rootKey))).toBe('');
  });

  const restate = (claims: Record<string, unknown>) => async (files: Files) => restated(files, key, claims);
  const put = (path: string, bytes: () => string | Buffer) => (files: Files) =>
    files.set(path, Buffer.from(bytes()));
  /** Sums of one level less, or other sums, under a genuine signature. */
  const rootSums =
    (sums: () => string, claims: Record<string, unknown> = {}) =>
    async (files: Files) => {
      const bytes = Buffer.from(sums());
      return (await restated(files, key, { ...claims, sums_sha256: sha256(bytes) })).set('sums/root', bytes);
    };

  it.each<[string, (files: Files) => Files | Promise<Files> | unknown, string[], RegExp]>([
    ['with a leaf too many', put('sums/g', () => 'x'), ['sums'], /sums\/g is not part of the tree of sums/],
    ['with a deeper file', put('sums/00', () => line('issuers/issuer-0')), ['sums'], /sums\/00 is not part/],
    ['with a nested file', put('sums/0x/1', () => 'x'), ['sums'], /sums\/0x\/1 is not part/],
    [
      'with a hidden file',
      put('sums/.x', () => 'x'),
      ['sums', 'checksums'],
      /sums\/\.x is not part of the tree of sums/,
    ],
    ['without a leaf', (files) => files.delete(leaves()[0] as string), ['sums'], /sums\/[0-9a-f] is missing/],
    ['without its root', (files) => files.delete('sums/root'), ['sums'], /sums\/root is missing/],
    [
      'with a leaf in the place of another',
      (files) => files.set(leaves()[0] as string, file(leaves()[1] as string)),
      ['sums'],
      /does not match the list/,
    ],
    [
      'with the leaf of the older publication',
      (files) => {
        const stale = leaves().find((path) => !file(path).equals(file(path, older))) as string;
        return files.set(stale, file(stale, older));
      },
      ['sums'],
      /does not match the list/,
    ],
    [
      'with the statement of the older publication',
      put('publication.jwt', () => file('publication.jwt', older)),
      ['publication'],
      /the publication statement names a list with the sha256/,
    ],
    [
      'of the older publication with the newer statement',
      () => new Map(older).set('publication.jwt', file('publication.jwt')),
      ['publication'],
      /the publication statement names a list with the sha256/,
    ],
    [
      'of another list',
      restate({ sha256: '0'.repeat(64) }),
      ['publication'],
      /names a list with the sha256 000/,
    ],
    ['of another size', restate({ size: 1 }), ['publication'], /names a list with the size 1,/],
    ['of another number of issuers', restate({ issuers: 79 }), ['publication'], /the issuers 79/],
    [
      'of another time',
      restate({ updated_at: '2020-01-01T00:00:00Z' }),
      ['publication'],
      /names a list with the updated_at 2020/,
    ],
    [
      'with a level too many',
      restate({ levels: 2 }),
      ['sums'],
      /2 levels, but a tree of sums with 80 records must not have 2/,
    ],
    [
      'with a level too few',
      rootSums(
        () =>
          ISSUERS.map((id) => `issuers/${id}`)
            .sort()
            .map((path) => line(path))
            .join(''),
        { levels: 0 },
      ),
      ['sums'],
      /0 levels, but a tree of sums with 80 records must not have 0/,
    ],
    [
      'that is not of the list, under a genuine signature',
      rootSums(() =>
        leaves()
          .slice(1)
          .map((path) => line(path))
          .join(''),
      ),
      ['sums'],
      /names the tree of sums [0-9a-f]{64}, but that of the list is/,
    ],
    [
      'of the future',
      restate({ iat: seconds(3600) }),
      ['freshness'],
      /the publication statement is valid from/,
    ],
    [
      'by another key',
      (files) => restated(files, stranger, {}),
      ['publication'],
      /not signed by the expected key/,
    ],
    ['without a statement', (files) => files.delete('publication.jwt'), ['statements'], /publication/],
  ])('%s is refused', async (_name, alter, checks, problem) => {
    const files = new Map(tree);
    const altered = await alter(files);
    const sealed = await resealed(altered instanceof Map ? altered : files, key, {});
    const report = await verifyTree(treeIn(sealed), key.rootKey);
    expect(problems(report)).toMatch(problem);
    expect(failed(report).filter((name) => name !== 'client')).toEqual(checks);
  });

  it('under a checkpoint for another publication is refused, also if both name the same list', async () => {
    const sequence = Number(claimsOf(file('publication.jwt'))['sequence']);
    for (const other of [
      file('publication.jwt', older),
      file('publication.jwt', await restated(tree, key, { sequence: sequence + 1 })),
    ]) {
      const files = await resealed(tree, key, { publication: statementHash(String(other)) });
      const report = await verifyTree(treeIn(files), key.rootKey);
      expect(failed(report)).toEqual(['checkpoint']);
    }
  });

  it.each<[string, (sums: string) => string, RegExp]>([
    [
      'lists a record',
      (sums) => sums + line('issuers/issuer-0'),
      /SHA256SUMS lists issuers\/issuer-0, which it must not list/,
    ],
    [
      'lists a leaf',
      (sums) => sums + line(leaves()[0] as string),
      /SHA256SUMS lists sums\/[0-9a-f], which it must not list/,
    ],
    [
      'lists the statements',
      (sums) => sums + line('statements.json'),
      /SHA256SUMS lists statements\.json, which it must not list/,
    ],
    [
      'lists the signature',
      (sums) => sums + line('issuers.sig'),
      /SHA256SUMS lists issuers\.sig, which it must not list/,
    ],
    [
      'lists a list that is named by its hash',
      (sums) => sums + line([...tree.keys()].find((path) => path.startsWith('lists/')) as string),
      /SHA256SUMS lists lists\/[0-9a-f]{64}\.json, which it must not list/,
    ],
    [
      'leaves the root of the sums out',
      (sums) => without(sums, 'sums/root'),
      /sums\/root is not in SHA256SUMS/,
    ],
    ['leaves the list out', (sums) => without(sums, 'issuers.json'), /issuers\.json is not in SHA256SUMS/],
  ])('whose SHA256SUMS %s is refused, in a folder and on a live host', async (_name, change, problem) => {
    const files = new Map(tree).set('SHA256SUMS', Buffer.from(change(file('SHA256SUMS').toString())));
    for (const source of [treeIn(files), httpSource(await host(files))]) {
      const report = await verifyTree(source, key.rootKey);
      expect(failed(report)).toEqual(['checksums', 'freshness']);
      expect(problems(report)).toMatch(problem);
    }
  });

  it('may have a file too many on a live host, whose files nobody can list, and none too few', async () => {
    const more = new Map(tree).set('sums/00', Buffer.from('x'));
    expect(problems(await verifyTree(httpSource(await host(more)), key.rootKey))).toBe('');
    for (const path of ['sums/root', leaves()[0] as string]) {
      const fewer = new Map(tree);
      fewer.delete(path);
      const report = await verifyTree(httpSource(await host(fewer)), key.rootKey);
      expect(failed(report)).toContain('sums');
      expect(problems(report)).toContain(`${path} is missing`);
    }
  });

  it.each([
    ['statements.json', 1],
    ['statements.json', 2],
    ['SHA256SUMS', 1],
  ])(
    'of the same list, published while a live host is verified, is read again: %s, %i times',
    async (path, times) => {
      const sequence = Number(claimsOf(file('publication.jwt'))['sequence']) + 1;
      const more = new Map(tree).set('news.json', Buffer.from('{}'));
      const next = await resealed(await restated(more, key, { sequence }), key);
      // The old file, once or twice, among files of the next publication: a new verification reads it again.
      let reads = 0;
      const base = await host(next, (asked) => (asked === path && reads++ < times ? file(path) : undefined));
      const report = await verifyTree(httpSource(base), key.rootKey);
      expect([problems(report), reads > times]).toEqual(['', true]);
    },
  );

  it('that does not fit its tree is not read more often than a publication explains', async () => {
    const torn = new Map(tree).set('publication.jwt', file('publication.jwt', older));
    let reads = 0;
    const base = await host(torn, (asked) => {
      if (asked === 'SHA256SUMS') reads += 1;
      return undefined;
    });
    expect((await verifyTree(httpSource(base), key.rootKey)).ok).toBe(false);
    // The verification, and the comparison afterwards.
    expect(reads).toBe(2);
  });

  it('without statements is refused by whatever reads it', async () => {
    const bare = new Map(together(tree));
    bare.delete('statements.json');
    writeFiles(
      folder,
      Object.fromEntries([...together(tree)].map(([path, bytes]) => [`whole/${path}`, bytes])),
    );
    writeFiles(folder, Object.fromEntries([...bare].map(([path, bytes]) => [`bare/${path}`, bytes])));
    const url = await host(bare);
    for (const [expected, ...command] of [
      [1, 'verify', 'bare'],
      [1, 'verify', url],
      [1, 'diff', 'bare', 'whole'],
      [1, 'diff', 'whole', 'bare'],
      [4, 'mirror', url, 'copy'],
    ] as const) {
      const { code, stdout, stderr } = await cli([...command, '--trust-anchor', 'key.json'], folder);
      expect([command, code, stdout + stderr]).toEqual([
        command,
        expected,
        expect.stringContaining('statements.json'),
      ]);
    }
  });
});

const without = (sums: string, path: string) =>
  sums
    .split('\n')
    .filter((one) => !one.endsWith(`  ${path}`))
    .join('\n');

function host(
  files: Files,
  instead: (path: string) => Buffer | undefined = () => undefined,
): Promise<string> {
  const served = together(files);
  return listen((request, response) => {
    const path = (request.url ?? '/').slice(1).replace(/\?.*/, '');
    const body = instead(path) ?? served.get(path);
    response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': contentTypeOf(path) }).end(body);
  });
}
