import { cpSync, existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { noteSigner } from '../../support/note-keys.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import {
  cli,
  clockAhead,
  filesBelow,
  filesOf,
  goodCli,
  keyPair,
  recordText,
  workspace,
  writeFiles,
} from '../../support/workspace.js';

/** A folder with the trees of a registry, each over the one before. */
let made: string;
let folder: string;
let host: RegistryHost;

const settings = (base: string) => `root_key: key.json\nsigner: { key: key.pem }\nbase_url: ${base}\n`;

async function json(args: readonly string[], minutes = 60) {
  const { code, stdout, stderr } = await cli([...args, '--json'], folder, clockAhead(minutes));
  return { code, stderr, ...JSON.parse(stdout) };
}

async function good(args: readonly string[], minutes: number): Promise<void> {
  const { code, stderr } = await cli([...args, '--offline'], folder, clockAhead(minutes));
  expect(code, stderr).toBe(0);
}

const copy = (from: string, to: string) => {
  rmSync(join(folder, to), { recursive: true, force: true });
  cpSync(join(folder, from), join(folder, to), { recursive: true });
};
const serve = (tree: string) => {
  host.files = filesOf(join(folder, tree));
};
/** The files of a tree, without lists before the newest one: a host need not tell which it has. */
function treeOf(name: string): ReadonlyMap<string, Buffer> {
  const files = filesOf(join(folder, name));
  const list = files.get('issuers.json');
  return new Map(
    [...files].filter(([path, bytes]) => !path.startsWith('lists/') || bytes.equals(list as Buffer)),
  );
}
const read = (path: string) => readFileSync(join(folder, path));
/** The hidden folders beside the tree. */
const beside = () =>
  filesBelow(folder).flatMap((path) =>
    path.startsWith('.dist.') ? [path.split('/').slice(0, 2).join('/')] : [],
  );

beforeAll(async () => {
  shortenRetries();
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['other', 'log', 'next']) await keyPair(folder, name);
  writeFiles(folder, { 'key.json': (await goodCli(['keys', 'public', 'key.pem'], folder)).stdout });
  writeFiles(folder, { 'registry.yaml': settings('http://127.0.0.1:1') });
  const build = ['build', '--production', '--first', '--out'];
  await good([...build, 'first'], 0);
  copy('first', 'second');
  writeFiles(folder, { 'issuers/gamma.yaml': recordText('gamma') });
  await good([...build, 'second'], 1);
  copy('second', 'third');
  writeFiles(folder, { 'issuers/delta.yaml': recordText('delta') });
  await good([...build, 'third'], 2);
  copy('second', 'stopping');
  await good(['hold', 'gamma', '--out', 'stopping'], 3);
  await good(['revoke', 'alpha', '--reason', 'x', '--production', '--out', 'stopping'], 4);
  await good(['suspend', 'beta', '--reason', 'x', '--production', '--out', 'stopping'], 5);
  copy('second', 'rotated');
  const next = ['--next-key', 'next.pem'];
  const key = readFileSync(join(folder, 'key.json'), 'utf8');
  await good(['keys', 'rotate', '--yes', ...next, '--out', 'rotated'], 6);
  // The other trees keep the key.
  writeFiles(folder, { 'key.json': key, 'registry.yaml': settings('http://127.0.0.1:1') });
  const other = ['--key', 'other.pem', '--root-key', 'other.json'];
  await good([...build, 'foreign', ...other], 7);
  made = folder;
});

beforeEach(async () => {
  folder = copyOf(made);
  host = await registryHost();
  writeFiles(folder, { 'registry.yaml': settings(host.base) });
});

describe('load', () => {
  it('brings a stale tree to what the URL serves, and moves it aside', async () => {
    copy('first', 'dist');
    serve('third');
    expect(await json(['build', '--production'])).toMatchObject({
      code: 1,
      error: { code: 'ERR_ALREADY_PUBLISHED' },
    });
    const { code, stderr, ...report } = await json(['load']);
    expect([code, report]).toEqual([
      0,
      expect.objectContaining({ ok: true, unchanged: false, movedTo: '.dist.replaced-1', released: [] }),
    ]);
    expect(stderr).toContain('.dist.replaced-1');
    expect(treeOf('dist')).toEqual(treeOf('third'));
    expect(treeOf('.dist.replaced-1/tree')).toEqual(treeOf('first'));
    expect(statSync(join(folder, 'dist/issuers.json')).mode & 0o777).toBe(0o644);
    expect(await json(['build', '--production'])).toMatchObject({ code: 0 });
  });

  it('changes nothing if the tree is what the URL serves', async () => {
    copy('third', 'dist');
    serve('third');
    expect(await json(['load'])).toMatchObject({ code: 0, unchanged: true });
    expect(beside()).toEqual([]);
  });

  it('replaces a damaged tree, and any part of one', async () => {
    serve('third');
    for (const path of ['statements.json', 'issuers.json', 'issuers/alpha', 'keys/root.json', 'SHA256SUMS']) {
      for (const damage of [undefined, 'damaged']) {
        copy('third', 'dist');
        if (damage === undefined) rmSync(join(folder, 'dist', path));
        else writeFileSync(join(folder, 'dist', path), damage);
        expect(await json(['load'])).toMatchObject({ ok: !/^(statements|issuers).json/.test(path) });
        expect(treeOf('dist')).toEqual(treeOf('third'));
      }
    }
  });

  it('makes the folder, from the URL of a mirror or from a folder, of any age', async () => {
    serve('third');
    for (const source of [host.base, `${host.base}/`, 'third']) {
      rmSync(join(folder, 'dist'), { recursive: true, force: true });
      mkdirSync(join(folder, 'dist'));
      // The checkpoint expired long ago.
      const { code, stderr } = await json(['load', source], 60 * 24 * 60);
      expect([code, stderr]).toEqual([0, expect.stringContaining('4 issuers')]);
      expect(treeOf('dist')).toEqual(treeOf('third'));
    }
    // A folder shows which older lists it has.
    expect(filesOf(join(folder, 'dist'))).toEqual(filesOf(join(folder, 'third')));
    expect(beside()).toEqual([]);
  });

  it('follows a rotation from the root key of the settings or of the tree', async () => {
    copy('second', 'dist');
    serve('rotated');
    writeFiles(folder, { 'registry.yaml': `base_url: ${host.base}\n` });
    expect(await json(['load'])).toMatchObject({ code: 0 });
    expect(read('dist/keys/root.json')).toEqual(read('rotated/keys/root.json'));
    rmSync(join(folder, 'dist'), { recursive: true });
    expect(await json(['load'])).toMatchObject({ code: 2 });
    expect(await json(['load', '--trust-anchor', 'key.json'])).toMatchObject({ code: 0 });
  });

  it('names whom the replaced tree stops and the loaded one does not, and ends with 1', async () => {
    copy('stopping', 'dist');
    serve('second');
    const { code, stderr, released } = await json(['load']);
    expect([code, released]).toEqual([
      1,
      [
        { issuer_id: 'gamma', was: 'held' },
        { issuer_id: 'alpha', was: 'revoked' },
        { issuer_id: 'beta', was: 'suspended' },
      ],
    ]);
    for (const id of ['alpha', 'beta', 'gamma']) expect(stderr).toContain(`WARNING: ${id} was`);
    expect(treeOf('dist')).toEqual(treeOf('second'));
  });

  it('names nobody whom the loaded tree stops in another way', async () => {
    copy('second', 'held');
    await good(['hold', 'alpha', 'gamma', '--out', 'held'], 10);
    copy('held', 'dist');
    serve('stopping');
    expect(await json(['load'])).toMatchObject({ code: 0, released: [] });
  });

  it('moves a stage aside with the tree that it belongs to, and leaves one whose tree stays', async () => {
    copy('second', 'dist');
    writeFiles(folder, { '.dist.stage/manifest.json': '{}' });
    serve('second');
    expect(await json(['load'])).toMatchObject({ unchanged: true });
    expect(existsSync(join(folder, '.dist.stage/manifest.json'))).toBe(true);
    serve('third');
    expect(await json(['load'])).toMatchObject({ movedTo: '.dist.replaced-1' });
    expect(beside()).toContain('.dist.replaced-1/stage');
    expect(existsSync(join(folder, '.dist.stage'))).toBe(false);
    // A later one has a folder of its own.
    copy('first', 'dist');
    expect(await json(['load'])).toMatchObject({ movedTo: '.dist.replaced-2' });
  });

  /** Builds a tree with a log. @param more - more settings of the log */
  function logged(more = ''): void {
    const log = `log: { origin: registry.internal/log, signer: { key: log.pem }${more} }`;
    writeFiles(folder, { 'registry.yaml': `${settings(host.base)}${log}\n` });
  }

  /** Logs a publication, and lets the next one, which suspends an issuer, wait for a witness. */
  async function waiting(): Promise<void> {
    logged();
    copy('third', 'dist');
    await good(['build', '--production'], 10);
    copy('dist', 'before');
    const witness = `{ key: ${noteSigner('w.internal', 'witness').vkey}, service: 'http://127.0.0.1:1' }`;
    logged(`, quorum: 1, witnesses: [${witness}]`);
    const suspend = ['suspend', 'delta', '--reason', 'x', '--production', '--offline'];
    expect(await json(suspend, 11)).toMatchObject({ code: 6 });
  }

  it('keeps a stage that follows what it loads, because a witness may have seen it', async () => {
    await waiting();
    rmSync(join(folder, 'dist/index.html'));
    serve('before');
    expect(await json(['load'])).toMatchObject({ code: 0, movedTo: '.dist.replaced-1', released: [] });
    expect(existsSync(join(folder, '.dist.stage/manifest.json'))).toBe(true);
    logged();
    expect(await json(['checkpoint'], 12)).toMatchObject({ code: 0 });
    expect(JSON.parse(String(read('dist/issuers.json'))).issuers).toContainEqual(
      expect.objectContaining({ issuer_id: 'delta', status: 'suspended' }),
    );
  });

  it('names whom a publication stops that waits for witnesses, and that another one has overtaken', async () => {
    const record = read('issuers/delta.yaml');
    await waiting();
    writeFiles(folder, { 'issuers/delta.yaml': record, 'issuers/epsilon.yaml': recordText('epsilon') });
    logged();
    await good(['build', '--production', '--out', 'before'], 12);
    serve('before');
    const { code, released, movedTo } = await json(['load']);
    expect([code, released]).toEqual([1, [{ issuer_id: 'delta', was: 'suspended' }]]);
    expect(existsSync(join(folder, movedTo, 'stage/manifest.json'))).toBe(true);
    expect(await json(['checkpoint'])).toMatchObject({ code: 0 });
  });
});

describe('load refuses', () => {
  /** The tree and everything beside it stay as they were. */
  async function refused(args: readonly string[], expected: object) {
    const before = filesBelow(folder).filter((path) => !path.startsWith('.passport-registry/'));
    const tree = treeOf('dist');
    const outcome = await json(['load', ...args]);
    expect(outcome).toMatchObject(expected);
    expect(filesBelow(folder).filter((path) => !path.startsWith('.passport-registry/'))).toEqual(before);
    expect(treeOf('dist')).toEqual(tree);
    return outcome.error.message as string;
  }
  const rejected = { code: 1, error: { code: 'ERR_TREE_REJECTED' } };

  beforeEach(() => copy('second', 'dist'));

  it('what is older than this machine has read at the URL, from anywhere', async () => {
    serve('third');
    // A refused signature has read it.
    expect(await json(['checkpoint'])).toMatchObject({ code: 1 });
    serve('first');
    for (const source of [[], ['first'], ['second'], [host.base]])
      expect(await refused(source, rejected)).toContain('.passport-registry/url');
    serve('third');
    expect(await json(['load'])).toMatchObject({ code: 0 });
  });

  it('an older checkpoint than this machine has read at the URL: it could release an issuer', async () => {
    copy('second', 'held');
    await good(['hold', 'alpha', '--out', 'held'], 10);
    serve('held');
    expect(await json(['checkpoint'])).toMatchObject({ code: 0, hold: ['alpha'] });
    serve('second');
    await refused([], rejected);
  });

  it('what went back between two loads', async () => {
    serve('third');
    expect(await json(['load'])).toMatchObject({ code: 0 });
    serve('second');
    await refused([], rejected);
  });

  it('the tree of a thief, and one with a file that nobody has signed', async () => {
    serve('foreign');
    await refused([], rejected);
    for (const path of [
      'issuers.sig',
      'SHA256SUMS',
      'sums/root',
      'statements.json',
      'about.json',
      'robots.txt',
    ]) {
      serve('stopping');
      if (!host.files.has(path)) continue;
      host.files = new Map([...host.files, [path, Buffer.from('x')]]);
      await refused([], rejected);
    }
  });

  it('a host that fails, and a folder that is not there', async () => {
    serve('third');
    host.intercept = (_path, _request, response) => response.writeHead(500).end() !== undefined;
    await refused([], { code: 4, error: { code: 'ERR_IO_FAILED' } });
    await refused(['nowhere'], { code: 2 });
  });

  it('to replace what is no tree', async () => {
    serve('third');
    await refused(['--out', 'issuers'], { code: 2 });
    mkdirSync(join(folder, 'dist/.git'));
    await refused([], { code: 2 });
  });
});
