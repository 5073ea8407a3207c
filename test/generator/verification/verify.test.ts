import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importRootKey, type RootKey } from '@passport-registry/verifier';
import { folderSource, httpSource, type TreeReport, verifyTree } from 'passport-registry';
import { beforeAll, describe, expect, it } from 'vitest';
import { contentTypeOf, freePort, listen } from '../../support/serving.js';
import { withChecksums } from '../../support/signed-tree.js';
import { treeIn } from '../../support/sources.js';
import { cli, filesBelow, recordText, workspace, writeFiles } from '../../support/workspace.js';

let folder: string;
let tree: Map<string, Buffer>;
let rootKey: RootKey;

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta.example']);
  await cli(['build', '--key', 'key.pem'], folder);
  const dist = join(folder, 'dist');
  tree = new Map(filesBelow(dist).map((path) => [path, readFileSync(join(dist, path))]));
  rootKey = await importRootKey(JSON.parse(file('keys/root.json').toString()));
});

const file = (path: string) => tree.get(path) as Buffer;
const failedChecks = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').map(({ name }) => name);
const problemsOf = ({ checks }: TreeReport) =>
  checks.filter(({ result }) => result === 'failed').flatMap(({ problems }) => problems);

describe('a good tree', () => {
  it('passes every check that a folder can show', async () => {
    const report = await verifyTree(folderSource(join(folder, 'dist')), rootKey);
    expect(report).toMatchObject({ ok: true, pinned: true, development: false, issuers: 2 });
    expect(report.checks.map(({ name, result }) => `${name}: ${result}`)).toEqual([
      'root key: passed',
      'statements: passed',
      'rotation: skipped',
      'signature: passed',
      'schema: passed',
      'order: passed',
      'canonical form: passed',
      'records: passed',
      'publication: passed',
      'sums: passed',
      'about: skipped',
      'log: skipped',
      'checksums: passed',
      'lists: passed',
      'changes: passed',
      'checkpoint: passed',
      'freshness: passed',
      'unknown id: skipped',
      'content types: skipped',
      'client: passed',
    ]);
  });
});

describe('a bad tree, with the checksums made right by whoever altered it', () => {
  it('judges nothing by a list whose signature is bad', async () => {
    const altered = new Map(tree).set('issuers.json', Buffer.from('[]'));
    const { checks } = await verifyTree(treeIn(withChecksums(altered)), rootKey);
    expect(checks.find(({ name }) => name === 'schema')?.result).toBe('skipped');
    expect(checks.find(({ name }) => name === 'records')?.result).toBe('skipped');
  });
});

describe('a live host', () => {
  type Answer = { status?: number; type?: string; location?: string; body?: Buffer };
  const host = (answer: (path: string) => Answer | undefined = () => undefined) =>
    listen((request, response) => {
      const path = (request.url ?? '/').slice(1);
      const body = tree.get(path);
      const { status, type, location, body: other } = answer(path) ?? {};
      response.writeHead(status ?? (body === undefined ? 404 : 200), {
        ...(type !== '' && { 'Content-Type': type ?? contentTypeOf(path) }),
        ...(location !== undefined && { Location: location }),
      });
      response.end(other ?? body);
    });

  it('that serves the tree right passes', async () => {
    const base = await host();
    const report = await verifyTree(httpSource(base), rootKey);
    expect(problemsOf(report)).toEqual([]);
    const others = report.checks.filter(({ result }) => result !== 'passed');
    expect(others.map(({ name }) => name)).toEqual(['rotation', 'about', 'log']);
  });

  it('may hide the files that configure it', async () => {
    const hidden = ['.htaccess', '_headers', 'serve.json', 'issuers/.htaccess', '.nojekyll'];
    const base = await host((path) => (hidden.includes(path) ? { status: 403 } : undefined));
    expect((await verifyTree(httpSource(base), rootKey)).ok).toBe(true);
  });

  it.each<[string, (path: string) => Answer | undefined, string[], string]>([
    [
      'records without a type',
      (path) => (path.startsWith('issuers/') ? { type: '' } : undefined),
      ['content types'],
      'issuers/alpha is served with no content type, expected application/json',
    ],
    [
      'the signature as PGP',
      (path) => (path === 'issuers.sig' ? { type: 'application/pgp-signature' } : undefined),
      ['content types'],
      'issuers.sig is served with application/pgp-signature, expected text/plain',
    ],
    [
      'a page for every unknown id',
      (path) =>
        path.startsWith('issuers/no-such') ? { status: 200, body: Buffer.from('<html>') } : undefined,
      ['unknown id'],
      'expected 404',
    ],
    [
      'a redirect for an id with dots',
      (path) => (path === 'issuers/beta.example' ? { status: 301, location: '/elsewhere' } : undefined),
      ['records'],
      'responds with 301, a redirect to /elsewhere',
    ],
    [
      'an error',
      (path) => (path === 'issuers.json' ? { status: 503 } : undefined),
      ['signature', 'checksums'],
      'responds with 503',
    ],
    [
      'an old record',
      (path) => (path === 'issuers/alpha' ? { body: Buffer.from('{}') } : undefined),
      ['records'],
      'issuers/alpha is not its entry in the list',
    ],
  ])('that serves %s', async (_name, answer, expected, problem) => {
    const report = await verifyTree(httpSource(await host(answer)), rootKey);
    expect(failedChecks(report)).toEqual(expected);
    expect(problemsOf(report).join('\n')).toContain(problem);
  });

  it('below a sub-path is as good', async () => {
    const base = await listen((request, response) => {
      const path = (request.url ?? '').replace('/mirror/', '');
      const body = tree.get(path);
      response.writeHead(body === undefined ? 404 : 200, { 'Content-Type': contentTypeOf(path) }).end(body);
    });
    expect((await verifyTree(httpSource(`${base}/mirror`), rootKey)).ok).toBe(true);
  });

  it('that was caught in the middle of a publication is asked again', async () => {
    let stale = 1;
    const old = Buffer.from('A'.repeat(86));
    const base = await host((path) => (path === 'issuers.sig' && stale-- > 0 ? { body: old } : undefined));
    expect((await verifyTree(httpSource(base), rootKey)).ok).toBe(true);
  });

  it('that nobody runs is an I/O error in words, and nothing that was not looked at is good', async () => {
    const { code, stderr, stdout } = await cli(
      ['verify', `http://127.0.0.1:${await freePort()}`, '--json'],
      folder,
    );
    expect(code).toBe(4);
    expect(stderr).toMatch(/FAILED {2}root key\n.* cannot be fetched: the host refused the connection/);
    const { ok, unreachable, checks } = JSON.parse(stdout);
    expect([ok, unreachable]).toEqual([false, true]);
    expect(new Set(checks.slice(1).map(({ result }: { result: string }) => result))).toEqual(
      new Set(['skipped']),
    );
  });
});

describe('passport-registry verify', () => {
  it('says what a verification without a pinned key proves', async () => {
    const { code, stderr, stdout } = await cli(['verify', 'dist', '--json'], folder);
    expect(code).toBe(0);
    expect(stderr).toContain('note: without --trust-anchor');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, pinned: false, rootKey: rootKey.thumbprint });
  });

  it('with the pinned key says nothing of the kind', async () => {
    writeFileSync(join(folder, 'pinned.json'), file('keys/root.json'));
    const { code, stdout } = await cli(['verify', 'dist', '--trust-anchor', 'pinned.json'], folder);
    expect(code).toBe(0);
    expect(stdout).toContain('(pinned)');
    expect(stdout).not.toContain('consistent');
  });

  it('ends with 1 for a bad tree and 2 for none', async () => {
    const bad = await workspace(['alpha']);
    await cli(['build', '--key', 'key.pem'], bad);
    writeFiles(bad, { 'dist/issuers/alpha': recordText('alpha') });
    const { code, stdout } = await cli(['verify', 'dist'], bad);
    expect(code).toBe(1);
    expect(stdout).toContain('dist is NOT valid');
    rmSync(join(bad, 'dist'), { recursive: true });
    expect((await cli(['verify', 'dist'], bad)).code).toBe(2);
    expect((await cli(['verify', 'https://'], bad)).code).toBe(2);
    expect((await cli(['verify'], bad)).code).toBe(2);
  });
});
