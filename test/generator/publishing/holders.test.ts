import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as buildTree, folderSource, SharedKeyRejected, verifyTree } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { Ceremony, errorOf } from '../../support/ceremony.js';
import { mistypedHost, serve } from '../../support/serving.js';
import { sha256 } from '../../support/signed-tree.js';
import { cli, goodCli, recordText, temporaryFolder, writeFiles } from '../../support/workspace.js';

/** The holders of a key that was split. The tests sign with the original key, which is faster than with shares. */
let ceremony: Ceremony;
/** The published record. */
const RECORD = 'dist/keys/holders.json';

/** Builds with the record of the ceremony. */
const RECORDED = ['--config', 'holders.yaml'];

let folder: string;

const read = (...path: string[]) => readFileSync(join(folder, ...path), 'utf8');
const run = (...args: string[]) => cli(args, folder);

const good = (...args: string[]) => goodCli(args, folder);

const build = (...more: string[]) =>
  run('build', '--key', 'root.pem', '--root-key', 'root.json', '--json', ...more);

async function built(...more: string[]): Promise<readonly string[]> {
  const { code, stdout, stderr } = await build(...more);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  return JSON.parse(stdout).notes;
}

/** Returns the report of `verify`. */
async function report(where = 'dist') {
  const { stdout, stderr } = await run('verify', where, '--json');
  const { checks, ...found } = JSON.parse(stdout);
  return { ...found, stderr, check: checks.find(({ name }: { name: string }) => name === 'holders') };
}

beforeAll(async () => {
  ceremony = await Ceremony.dealt();
});

beforeEach(() => {
  folder = temporaryFolder();
  for (const name of ['root.pem', 'root.json', 'shared/holders.json']) {
    cpSync(join(ceremony.home, name), join(folder, name.split('/').at(-1) ?? ''));
  }
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha'), 'holders.yaml': 'holders: holders.json' });
});

describe('the record of the holders', () => {
  it('is published byte by byte, and listed', async () => {
    await built(...RECORDED);
    expect(read(RECORD)).toBe(read('holders.json'));
    expect(read('dist/SHA256SUMS')).toContain(`${sha256(Buffer.from(read(RECORD)))}  keys/holders.json\n`);
  });

  it('comes from registry.yaml, too, relative to that file', async () => {
    writeFiles(folder, { 'registry.yaml': 'holders: holders.json\n' });
    await built();
    expect(read(RECORD)).toBe(read('holders.json'));
  });

  it('is not needed: a tree without it differs only there, and in what the page says', async () => {
    await built(...RECORDED, '--updated-at', '2026-11-01T00:00:00Z');
    expect(read('dist/index.html')).toContain(
      `<meta name="registry-holders" content="The registry says that 2 of 3 holders share this key, which a dealer had as a whole: ` +
        'Anna, Bo O&#39;Neil and Cy. Your browser cannot check that; passport-registry verify can.">',
    );
    const page = read('dist/index.html');
    rmSync(join(folder, 'dist'), { recursive: true });
    await built('--updated-at', '2026-11-01T00:00:00Z');
    expect(existsSync(join(folder, RECORD))).toBe(false);
    expect(page.replace(/\n<meta name="registry-holders"[^>]*>/, '')).toBe(read('dist/index.html'));
    expect((await report()).check).toMatchObject({
      result: 'skipped',
      problems: ['the tree has no keys/holders.json'],
    });
  });

  it('is kept by later builds, as long as the root key stays', async () => {
    await built(...RECORDED);
    rmSync(join(folder, 'holders.json'));
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    expect(await built()).toEqual([expect.stringContaining('no base_url is known')]);
    expect(read(RECORD)).toBe(readFileSync(join(ceremony.shared, 'holders.json'), 'utf8'));
    expect((await report()).check.result).toBe('passed');
    await good('suspend', 'alpha', '--reason', 'a test', '--key', 'root.pem', '--root-key', 'root.json');
    expect((await report()).holders.names).toEqual(['Anna', "Bo O'Neil", 'Cy']);
  });

  it('is dropped with a note when the root key changes', async () => {
    await built(...RECORDED);
    await good('keys', 'generate', '--no-passphrase', '--private', 'next.pem', '--public', 'next.json');
    const { stdout: step } = await good('keys', 'step', '--key', 'root.pem', '--next', 'next.json');
    writeFiles(folder, { 'step.jwt': step });
    const rotated = [
      'build',
      '--key',
      'next.pem',
      '--root-key',
      'next.json',
      '--rotation',
      'step.jwt',
      '--json',
    ];
    const refused = await run(...rotated, ...RECORDED);
    expect(errorOf(refused)).toMatchObject({ code: 'ERR_OTHER_KEY' });
    expect(existsSync(join(folder, 'dist/keys/rotation.json'))).toBe(false);
    // A build that was killed has written the new root key, and not more.
    for (const copy of ['killed', 'damaged'])
      cpSync(join(folder, 'dist'), join(folder, copy), { recursive: true });
    const { stdout } = await good(...rotated);
    expect(JSON.parse(stdout).notes).toContainEqual(expect.stringContaining('keys/holders.json was removed'));
    expect(existsSync(join(folder, RECORD))).toBe(false);
    expect(read('dist/SHA256SUMS')).not.toContain('holders.json');
    expect(read('dist/index.html')).not.toContain('registry-holders');
    cpSync(join(folder, 'dist/keys/root.json'), join(folder, 'killed/keys/root.json'));
    await good(...rotated, '--out', 'killed');
    expect(existsSync(join(folder, 'killed/keys/holders.json'))).toBe(false);
    expect((await report('killed')).ok).toBe(true);
    writeFiles(folder, { 'damaged/keys/holders.json': '{}' });
    await good(...rotated, '--out', 'damaged');
    expect((await report('damaged')).ok).toBe(true);
  });

  it('that was damaged after its publication stops a build, until it is given again', async () => {
    await built(...RECORDED);
    for (const damage of [
      () => writeFileSync(join(folder, RECORD), '{}'),
      () => rmSync(join(folder, RECORD)),
    ]) {
      damage();
      expect(errorOf(await build()).message).toContain('name the record of the ceremony with holders');
      expect((await report()).ok).toBe(false);
      await built(...RECORDED);
      expect((await report()).ok).toBe(true);
    }
  });
});

describe('a record that must not be published', () => {
  /** The record, changed by a function. */
  const changed = (change: (record: Record<string, unknown>) => unknown) => {
    const record = JSON.parse(readFileSync(join(ceremony.shared, 'holders.json'), 'utf8'));
    return JSON.stringify(change(record) ?? record);
  };
  const named = (names: readonly unknown[]) =>
    changed(({ ceremony: content, ...record }) => ({
      ...record,
      ceremony: { ...(content as Record<string, unknown>), holders: names },
    }));

  const HOSTILE: readonly (readonly [what: string, record: () => string, message: string])[] = [
    ['no JSON', () => 'held by Anna', 'is not strict JSON'],
    ['a list', () => '[]', 'is not the record of a ceremony'],
    [
      'a duplicate member',
      () => changed(() => undefined).replace('{', '{"test":"AA==",'),
      'is not strict JSON',
    ],
    [
      'a member of its own',
      () => changed((record) => ({ ...record, note: 'by notaries' })),
      'unknown member note',
    ],
    ['other hashes beside the split', () => changed((record) => ({ ...record, parts: [] })), 'is malformed'],
    ['another name', () => named(['Anna', 'Bo', 'Cy']), 'belongs to another ceremony'],
    ['a name with markup', () => named(['Anna', '<img src=x>', 'Cy']), 'is not 1 to 64 letters'],
    ['fewer holders', () => named(['Anna', 'Cy']), 'is malformed'],
    [
      'a lone surrogate',
      () => changed(() => undefined).replace('"id":"', '"\\ud800":1,"id":"'),
      'unknown member',
    ],
    [
      'a lone surrogate in the key that it splits',
      () => changed(() => undefined).replace('"kty":"OKP"', '"kty":"OKP","more":"\\ud800"'),
      'no canonical form',
    ],
    ['no receipt', () => changed(({ receipts: _receipts, ...record }) => record), 'is malformed'],
    ['no split', () => changed(({ split: _split, ...record }) => record), 'is malformed'],
    [
      'no test',
      () => changed((record) => ({ ...record, test: 'AAAA' })),
      'has a test signature that is not valid',
    ],
  ];

  it.each(HOSTILE)('has %s', async (_what, record, message) => {
    await built();
    const before = read('dist/SHA256SUMS');
    writeFiles(folder, { 'holders.json': record() });
    const outcome = await build(...RECORDED);
    expect(outcome.code).toBe(3);
    expect(errorOf(outcome).message).toContain(message);
    expect(read('dist/SHA256SUMS')).toBe(before);
    expect(existsSync(join(folder, RECORD))).toBe(false);
    // Somebody puts it into the tree of a host.
    writeFiles(folder, { [RECORD]: record() });
    const { ok, check, holders } = await report();
    expect({ ok, result: check.result, holders }).toEqual({
      ok: false,
      result: 'failed',
      holders: undefined,
    });
    expect(check.problems[0]).toContain(message);
  });

  it('is of another root key', async () => {
    await good('keys', 'generate', '--no-passphrase', '--private', 'other.pem', '--public', 'other.json');
    const args = ['build', '--key', 'other.pem', '--root-key', 'other.json', '--json'];
    const outcome = await run(...args, ...RECORDED);
    expect(outcome.code).toBe(3);
    expect(errorOf(outcome)).toMatchObject({ code: 'ERR_OTHER_KEY' });
    expect(existsSync(join(folder, 'dist'))).toBe(false);
    await good(...args);
    cpSync(join(folder, 'holders.json'), join(folder, RECORD));
    expect((await report()).check).toMatchObject({
      result: 'failed',
      problems: [expect.stringContaining('keys/holders.json names the holders of')],
    });
  });

  it('is refused before anybody is asked for a signature', async () => {
    writeFiles(folder, { 'holders.json': '{}' });
    writeFiles(folder, {
      'registry.yaml': 'root_key: root.json\nholders: holders.json\nsigner: { command: touch signed }',
    });
    for (const args of [['--production'], ['--unsigned', 'request']]) {
      const outcome = await run('build', ...args, '--json');
      expect(outcome.code).toBe(3);
      expect(errorOf(outcome).message).toContain('is not the record of a ceremony');
    }
    expect(['signed', 'request', 'dist'].filter((name) => existsSync(join(folder, name)))).toEqual([]);
  });

  it('is too large, or is not there', async () => {
    writeFiles(folder, {
      'large.json': `${' '.repeat(64 * 1024)}${read('holders.json')}`,
      'large.yaml': 'holders: large.json',
      'none.yaml': 'holders: none.json',
    });
    expect(errorOf(await build('--config', 'large.yaml')).message).toContain('is larger than 65536 bytes');
    expect(errorOf(await build('--config', 'none.yaml')).message).toContain('none.json does not exist');
    expect(existsSync(join(folder, 'dist'))).toBe(false);
    await built();
    writeFiles(folder, { [RECORD]: read('large.json') });
    expect((await report()).check.result).toBe('failed');
  });
});

describe('verify', () => {
  it('says in words who holds the key, in a folder and on a host', async () => {
    await built(...RECORDED);
    const base = await serve(join(folder, 'dist'));
    for (const where of ['dist', base]) {
      const { ok, check, holders } = await report(where);
      expect({ ok, result: check.result }).toEqual({ ok: true, result: 'passed' });
      expect(holders).toEqual({ threshold: 2, names: ['Anna', "Bo O'Neil", 'Cy'], split: true });
      const { stderr } = await good('verify', where);
      expect(stderr).toMatch(/^ok {6}holders$/m);
      expect(stderr).toMatch(
        /^held by 2 of 3: Anna, Bo O'Neil and Cy \(as the published record says: it proves that a dealer, who had the whole key, has split it among their keys, not who they are, or that nobody has kept the whole key\)$/m,
      );
    }
  });
});

describe('a program that uses the package', () => {
  const built = (options: { readonly holders?: string } = {}) =>
    buildTree({
      issuers: join(folder, 'issuers'),
      out: join(folder, 'dist'),
      signer: { key: join(folder, 'root.pem'), production: true, directory: folder },
      exceptions: { allowExampleNames: true },
      ...options,
    });
  const verified = () => verifyTree(folderSource(join(folder, 'dist')));

  it('publishes, keeps and verifies the record as the commands do', async () => {
    await built({ holders: join(folder, 'holders.json') });
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await built();
    expect(read(RECORD)).toBe(read('holders.json'));
    const { ok, issuers, holders, checks } = await verified();
    expect({ ok, issuers, holders }).toEqual({
      ...{ ok: true, issuers: 2 },
      holders: { threshold: 2, names: ['Anna', "Bo O'Neil", 'Cy'], split: true },
    });
    expect(checks).toContainEqual({ name: 'holders', result: 'passed', problems: [] });
  });

  it('is told of a record that is not valid', async () => {
    await built();
    writeFiles(folder, { 'holders.json': '{}', [RECORD]: '{}' });
    await expect(built({ holders: join(folder, 'holders.json') })).rejects.toThrow(SharedKeyRejected);
    const { ok, checks } = await verified();
    expect(ok).toBe(false);
    expect(checks).toContainEqual(expect.objectContaining({ name: 'holders', code: 'ERR_AUDIT_HOLDERS' }));
  });
});

it('has a content type, which verify demands of a host', async () => {
  await built(...RECORDED);
  const { code, stderr } = await run('verify', await mistypedHost(join(folder, 'dist'), 'keys/holders.json'));
  expect([code, stderr]).toEqual([1, expect.stringMatching(/keys\/holders\.json.*application\/json/)]);
});

describe('a mirror', () => {
  const mirror = () => run('mirror', 'dist', 'mirror', '--root-key', 'root.json');
  const mirrored = () => read('mirror/current/keys/holders.json');

  it('takes the record over, and keeps it when a later one is false', async () => {
    await built(...RECORDED);
    expect((await mirror()).code).toBe(0);
    expect(mirrored()).toBe(read('holders.json'));
    writeFiles(folder, { 'issuers/beta.yaml': recordText('beta') });
    await built();
    const sums = read('dist/SHA256SUMS');
    const hash = (text: string) => sha256(Buffer.from(text));
    writeFiles(folder, {
      [RECORD]: '{}',
      'dist/SHA256SUMS': sums.replace(hash(read('holders.json')), hash('{}')),
    });
    const refused = await mirror();
    expect(refused.code).toBe(1);
    expect(refused.stderr).toContain('keys/holders.json');
    expect(mirrored()).toBe(read('holders.json'));
  });
});

describe('status', () => {
  it('says who holds the key, and what is wrong with the record', async () => {
    await built(...RECORDED);
    const status = async () =>
      JSON.parse((await run('status', '--root-key', 'root.json', '--json')).stdout).holders;
    const words = async () => (await run('status', '--root-key', 'root.json')).stderr;
    expect(await status()).toEqual({
      ...{ level: 'ok', threshold: 2, names: ['Anna', "Bo O'Neil", 'Cy'], split: true },
      message: "2 of 3: Anna, Bo O'Neil and Cy, as the published record says; a dealer had the whole key",
    });
    expect(await words()).toMatch(/^ok {6}holders {5}2 of 3: Anna/m);
    writeFileSync(join(folder, RECORD), '{}');
    expect(await status()).toMatchObject({ level: 'error', names: [], split: false });
    expect(await words()).toMatch(/^FAILED {2}holders {5}keys\/holders\.json/m);
    rmSync(join(folder, 'dist'), { recursive: true });
    await built();
    expect(await status()).toMatchObject({ level: 'ok', isAbsent: true, names: [], split: false });
    expect(await words()).not.toContain('holders');
  });
});
