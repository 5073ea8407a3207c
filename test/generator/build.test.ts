import { execFileSync } from 'node:child_process';
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
} from 'node:fs';
import { join } from 'node:path';
import { importRootKey, verifyList } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { signerChoice } from '../../build/cli/options/signer-options.js';
import { describeWithData } from '../support/components.js';
import { expectCommandError } from '../support/expect-command-error.js';
import { operatorIn } from '../support/operator.js';
import { REAL_RECORDS } from '../support/paths.js';
import { sha256 } from '../support/sha256.js';
import {
  cli,
  filesOf,
  goodCli,
  keyPair,
  recordText,
  temporaryFolder,
  workspace,
  writeFiles,
} from '../support/workspace.js';

const KEY = ['--key', 'key.pem'];
const AT = (time: string) => ['--updated-at', time];
const T1 = '2026-01-01T00:00:00Z';
const T2 = '2026-01-02T00:00:00Z';

/** The files of a tree but for its checkpoint, which names the time when it was signed. */
function lasting(tree: string): Map<string, Buffer> {
  const files = filesOf(tree);
  files.delete('checkpoint.jwt');
  return files;
}
let folder: string;
const { at, dist, text, run, good, record, tree, refused } = operatorIn(() => folder);

beforeEach(async () => {
  folder = await workspace();
});

const updatedAt = () => JSON.parse(text('issuers.json')).updated_at;
const built = (...args: string[]) => good('build', ...KEY, ...args);

describe('the tree', () => {
  it('has exactly the files that the specification names, and those that hosts read', async () => {
    folder = await workspace(['alpha', 'beta.example']);
    await built(...AT(T1));
    const paths = tree().map(([path = '']) => path);
    const parts = paths.filter((path) => /^assets\/parts\/\w+\.js$/.test(path));
    expect(parts).toHaveLength(2);
    expect(paths.filter((path) => !parts.includes(path))).toEqual([
      '.htaccess',
      '.nojekyll',
      '404.html',
      'SHA256SUMS',
      '_headers',
      'assets/icon.svg',
      'assets/licences.txt',
      'assets/registry.css',
      'assets/registry.js',
      'changes.json',
      'index.html',
      'issuers.json',
      'issuers.sig',
      'issuers/.htaccess',
      'issuers/alpha',
      'issuers/beta.example',
      'keys/root.json',
      `lists/${sha256(readFileSync(dist('issuers.json')))}.json`,
      'schemas/issuer-registry.schema.json',
      'schemas/issuer.schema.json',
      'schemas/jwk.schema.json',
      'schemas/registry.openapi.json',
      'schemas/trust-anchor.schema.json',
      'schemas/trust-policy.schema.json',
      'serve.json',
      'statements.json',
      'sums/.htaccess',
      'sums/root',
      'vercel.json',
    ]);
  });

  it('has the bytes of a list and of a signature (rule list-form, rule signature-form)', async () => {
    folder = await workspace(['b', 'a.b', 'a-b']);
    await built(...AT('2026-01-01T01:00:00+01:00'));
    const record = (id: string) =>
      `{"certified_since":"2026-01-01T00:00:00Z","discovery_uri":"https://${id}.internal/.well-known/openid-configuration","issuer_id":"${id}","jwks_uri":"https://${id}.internal/.well-known/jwks.json","status":"active","tier":"certified"}`;
    expect(text('issuers.json')).toBe(
      `{"issuers":[${record('a-b')},${record('a.b')},${record('b')}],"updated_at":"2026-01-01T00:00:00Z"}`,
    );
    expect(text('issuers/a.b')).toBe(record('a.b'));
    expect(text('issuers.sig')).toMatch(/^[A-Za-z0-9_-]{86}$/);
    const jwk = JSON.parse(text('keys/root.json'));
    expect(Object.keys(jwk)).toEqual(['crv', 'kid', 'kty', 'x']);
    await verifyList({
      list: readFileSync(dist('issuers.json')),
      signature: text('issuers.sig'),
      rootKey: await importRootKey(jwk),
    });
  });

  it('can be read by a web server whatever the umask', async () => {
    const previous = process.umask(0o077);
    try {
      await built();
      record('gamma');
      await built();
    } finally {
      process.umask(previous);
    }
    for (const path of readdirSync(dist(), { recursive: true, encoding: 'utf8' })) {
      const stats = statSync(dist(path));
      expect(`${path} ${(stats.mode & 0o777).toString(8)}`).toBe(
        `${path} ${stats.isDirectory() ? 755 : 644}`,
      );
    }
  });
});

describe('reproducible', () => {
  it('the same input, time and Ed25519 key give the same bytes, in any order of files', async () => {
    folder = await workspace(['a', 'b', 'c']);
    record('b', { name: 'Beta' });
    const revoked = { status: 'revoked', status_reason: 'closed' };
    record('c', { name: 'Gamma', ...revoked });
    await built(...AT(T1), '--out', 'one');
    const other = temporaryFolder();
    const [b, c] = [recordText('b', { name: 'Beta' }), recordText('c', { ...revoked, name: '"Gamma"' })];
    writeFiles(other, {
      'issuers/0/c.yaml': `# a comment\r\n${c.replaceAll('\n', '\r\n')}`,
      'issuers/b.yml': b.split('\n').reverse().join('\n'),
      'issuers/a.yaml': recordText('a'),
      'key.pem': readFileSync(at('key.pem')),
    });
    await goodCli(['build', ...KEY, ...AT(T1), '--out', 'two'], other);
    expect(lasting(join(other, 'two'))).toEqual(lasting(at('one')));
  });

  it('SOURCE_DATE_EPOCH gives the time, --updated-at wins over it', async () => {
    await cli(['build', ...KEY], folder, { SOURCE_DATE_EPOCH: '1767225600' });
    expect(updatedAt()).toBe('2026-01-01T00:00:00Z');
    await cli(['build', ...KEY, '--out', 'b', ...AT(T2)], folder, { SOURCE_DATE_EPOCH: '1767225600' });
    expect(JSON.parse(readFileSync(at('b/issuers.json'), 'utf8')).updated_at).toBe(T2);
  });
});

describe('a second build', () => {
  it('of the same records touches nothing, not even with another --updated-at or with P-256', async () => {
    await keyPair(folder, 'p256', '--alg', 'P-256');
    const key = ['build', '--key', 'p256.pem'];
    await run(...key, ...AT(T1));
    const before = tree();
    const touched = () => statSync(dist('issuers.sig'), { bigint: true }).ctimeNs;
    const since = touched();
    const { stdout } = await good(...key, ...AT(T2), '--json');
    expect(JSON.parse(stdout)).toMatchObject({
      written: 0,
      unchanged: 31,
      removed: 0,
      updatedAt: T1,
      notes: [expect.stringContaining(T2)],
    });
    expect(tree()).toEqual(before);
    expect(touched()).toBe(since);
  });

  it('writes only what changed, and removes what no longer belongs', async () => {
    folder = await workspace(['a', 'b', 'c']);
    await built(...AT(T1));
    record('b', { status: 'suspended' });
    rmSync(at('issuers/c.yaml'));
    // A later version may have added such files.
    const strays = ['a.txt', 'b.txt', 'c.txt', 'd.txt', 'e.txt', 'f.txt'];
    writeFiles(folder, Object.fromEntries(strays.map((path) => [`dist/${path}`, 'x'])));
    const { stdout } = await built(...AT(T2), '--json', '--override', 'c:record-removed');
    // issuers/b, the list under both names, its signature, about.json, the statements, the sums, the checksums, the page that has the
    // list in it, and the changes; issuers/c and the other files.
    const report = JSON.parse(stdout);
    expect(report).toMatchObject({
      written: 10,
      unchanged: 22,
      removed: 7,
      updatedAt: T2,
      issuers: 2,
    });
    expect(existsSync(dist('issuers/c'))).toBe(false);
    // Only what this version does not write is named, and not more than a reader takes in.
    expect(report.notes.filter((note: string) => note.includes('.txt'))).toEqual([
      'Removed from dist, because no publication makes such a file: a.txt, b.txt, c.txt, d.txt, e.txt, and 1 more.',
    ]);
  });

  it('moves the time of every file that it replaces to a later whole second', async () => {
    folder = await workspace(['a']);
    const seconds: number[] = [];
    for (const tier of ['founding', 'certified', 'registered', 'sandbox']) {
      record('a', { tier });
      await built();
      seconds.push(Math.floor(statSync(dist('issuers.sig')).mtimeMs / 1000));
    }
    expect(new Set(seconds).size).toBe(4);
    expect(seconds).toEqual([...seconds].sort((a, b) => a - b));
  });

  it('never lets updated_at go back, or stand still under a changed list', async () => {
    await built(...AT(T2));
    record('gamma');
    for (const time of [T1, T2]) await refused(['build', ...KEY, ...AT(time)], 2);
    await built();
    expect(updatedAt() > T2).toBe(true);
  });

  it('goes through a link to where the tree really is, be it empty or not', async () => {
    mkdirSync(at('served/www'), { recursive: true });
    symlinkSync('served/www', dist());
    await built(...AT(T1));
    record('alpha', { status: 'revoked' });
    await built(...AT(T2));
    expect(lstatSync(dist()).isSymbolicLink()).toBe(true);
    expect(readFileSync(at('served/www/issuers/alpha'), 'utf8')).toContain('revoked');
    expect(readdirSync(at('served'))).toEqual(['www']);
  });
});

describe('what a build refuses', () => {
  it('a folder that holds something else, which it would clear away', async () => {
    writeFiles(folder, { 'precious/thesis.txt': 'years of work' });
    for (const out of ['precious', '.', 'issuers']) {
      expect((await run('build', ...KEY, '--out', out)).code).toBe(2);
    }
    expect(existsSync(at('precious/thesis.txt'))).toBe(true);
    expect(existsSync(at('key.pem'))).toBe(true);
  });

  it('bad records; the published tree stays as it was, and --json tells all', async () => {
    await built();
    record('gamma', { tier: 'gold' });
    writeFiles(folder, { 'issuers/delta.yaml': '' });
    const { stdout, stderr } = await refused(['build', ...KEY, '--json'], 1);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: false,
      error: { code: 'ERR_RECORDS_REJECTED' },
      diagnostics: [{ rule: 'empty-file' }, { rule: 'unknown-value', line: 2, column: 7 }],
    });
    expect(stderr).toContain('issuers/gamma.yaml:2:7: error unknown-value');
    expect(readdirSync(folder)).toEqual(['dist', 'issuers', 'key.pem']);
  });

  it.each([
    ['of the option', AT('yesterday'), {}],
    ['of the environment', [], { SOURCE_DATE_EPOCH: 'now' }],
  ])('a time %s that is none', async (_where, args, environment) => {
    expect((await cli(['build', ...KEY, ...args], folder, environment)).code).toBe(2);
    expect(existsSync(dist())).toBe(false);
  });

  it('an output folder that holds what the build needs, or a repository', async () => {
    await built();
    writeFiles(folder, { 'dist/key.pem': readFileSync(at('key.pem')) });
    writeFiles(folder, { 'dist/source/alpha.yaml': recordText('alpha') });
    for (const [fact, ...args] of [
      ['dist/key.pem', '--key', 'dist/key.pem'],
      ['dist/key.pem', ...KEY, '--root-key', 'dist/key.pem'],
      ['dist/source', ...KEY, '--issuers', 'dist/source'],
      ['issuers', ...KEY, '--out', '.'],
    ] as const) {
      expectCommandError(await run('build', ...args, '--json'), 'ERR_USAGE', fact);
    }
    expect(existsSync(dist('key.pem'))).toBe(true);
    mkdirSync(dist('.git'));
    expect((await run('build', ...KEY)).code).toBe(2);
  });

  it('an output folder that is a file, a link to nowhere, or nothing', async () => {
    writeFiles(folder, { file: '' });
    symlinkSync('nowhere', at('link'));
    for (const out of ['file', '/dev/null', 'link', '']) {
      expect([out, (await run('build', ...KEY, '--out', out)).code]).toEqual([out, 2]);
    }
  });

  it('an output folder that cannot be written', async () => {
    writeFiles(folder, { file: '' });
    const { code } = await run('build', ...KEY, '--out', 'file/dist');
    expect(code).toBe(4);
  });
});

describe('the key', () => {
  it('of --root-key must be the one that signs', async () => {
    await keyPair(folder, 'other');
    writeFiles(folder, { 'root.json': (await run('keys', 'public', 'key.pem')).stdout });
    await built('--root-key', 'root.json');
    for (const other of ['other.json', 'key.pem']) await refused(['build', ...KEY, '--root-key', other], 3);
  });

  it('of a registry changes only by a rotation', async () => {
    await built(...AT(T1));
    await keyPair(folder, 'other');
    for (const more of [[], ['--root-key', 'other.json']]) {
      const { stdout } = await refused(['build', '--key', 'other.pem', ...more, '--json'], 3);
      expect(JSON.parse(stdout).error).toMatchObject({
        code: 'ERR_KEY_REJECTED',
        see: 'docs/operators/keys.md#a-new-root-key',
      });
    }
  });

  it('can come from the environment', async () => {
    const key = readFileSync(at('key.pem'), 'utf8');
    expect((await cli(['build', '--key', 'env:REGISTRY_KEY'], folder, { REGISTRY_KEY: key })).code).toBe(0);
    expect((await run('build', '--key', 'env:REGISTRY_KEY')).code).toBe(2);
  });
});

describe('the development key', () => {
  it('is made once, for its owner’s eyes, ignored by git, and the tree says what it is', async () => {
    execFileSync('git', ['init', '--quiet'], { cwd: folder });
    const first = await run('build');
    expect(first.code).toBe(0);
    expect(first.stderr).toContain('DEVELOPMENT KEY');
    const file = at('.passport-registry/development-key.pem');
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(at('.passport-registry')).sort()).toEqual(['.gitignore', 'development-key.pem']);
    const status = execFileSync('git', ['status', '--porcelain'], { cwd: folder, encoding: 'utf8' });
    expect(status).not.toContain('.passport-registry');
    expect(existsSync(dist('UNFIT-FOR-PRODUCTION.txt'))).toBe(true);
    const key = readFileSync(file, 'utf8');
    expect((await run('build', '--json')).stdout).toContain('"development": true');
    expect(readFileSync(file, 'utf8')).toBe(key);
    expect((await run('verify', 'dist')).stdout).toContain('not for production');
  });

  it.each([
    ['--production', ['--production'], {}],
    ['CI=true', [], { CI: 'true' }],
  ])('is refused under %s, made or not, named or not', async (_name, args, environment) => {
    const none = await cli(['build', ...args, '--json'], folder, environment);
    expectCommandError(none, 'ERR_KEY_REJECTED', '--key');
    expect(existsSync(at('.passport-registry'))).toBe(false);
    await run('build');
    expect((await cli(['build', ...args], folder, environment)).code).toBe(3);
    const named = ['build', '--key', '.passport-registry/development-key.pem', ...args];
    expect((await cli(named, folder, environment)).code).toBe(3);
    expect((await cli(['build', ...KEY, ...args], folder, environment)).code).toBe(0);
    expect(existsSync(dist('UNFIT-FOR-PRODUCTION.txt'))).toBe(false);
  });

  it.each([
    [undefined, false],
    ['', false],
    ['0', false],
    ['false', false],
    ['FALSE', false],
    ['true', true],
    ['1', true],
    ['yes', true],
  ])('with CI=%j, whether it is refused: %s', (CI, production) => {
    const io = { stdin: process.stdin, stdout: process.stdout, stderr: process.stderr, env: { CI } };
    expect(signerChoice(io)).toMatchObject({ production });
  });

  it.each([
    ['suspend', ['suspend', 'alpha', '--reason', 'x']],
    ['revoke', ['revoke', 'alpha', '--reason', 'x']],
  ])('signs nothing under CI by %s', async (_name, args) => {
    await run('build');
    const before = tree();
    for (const key of [[], ['--key', '.passport-registry/development-key.pem']]) {
      expect((await cli([...args, ...key], folder, { CI: 'true' })).code).toBe(3);
      expect(tree()).toEqual(before);
    }
  });

  it('never replaces the signature of a production key', async () => {
    await built();
    await refused(['build'], 3);
  });

  it('is one key for two builds that start together', async () => {
    const builds = await Promise.all(
      ['a', 'b', 'c'].map((out) => cli(['build', '--out', out, '--json'], folder)),
    );
    expect(new Set(builds.map(({ stdout }) => JSON.parse(stdout).rootKey)).size).toBe(1);
  });
});

describeWithData(REAL_RECORDS, '200 records made from a real directory', () => {
  it('build and verify, twice to the same bytes', async () => {
    for (const out of ['one', 'two']) {
      await built('--issuers', REAL_RECORDS, '--out', out, ...AT(T1));
      expect((await good('verify', out)).stdout).toContain('200 issuers');
    }
    expect(lasting(at('two'))).toEqual(lasting(at('one')));
  });
});
