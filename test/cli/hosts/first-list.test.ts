import { cpSync, existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { git as gitIn } from '../../support/git.js';
import { installedPath } from '../../support/installed.js';
import { init, SETTINGS } from '../../support/scaffold.js';
import { listen, plainHost } from '../../support/serving.js';
import {
  cli,
  cliAnswering,
  clockAhead,
  recordText,
  run,
  temporaryFolder,
  writeFiles,
} from '../../support/workspace.js';

const NOBODY = 'http://127.0.0.1:1';

let top: string;
let folder: string;
let url: string;

async function json(...args: string[]) {
  const { code, stdout } = await cli([...args, '--json'], folder);
  return { code, ...JSON.parse(stdout) };
}

const refused = { code: 1, error: { code: 'ERR_ALREADY_PUBLISHED' } };

/** What the host serves from now on. */
function deploy(tree = 'dist'): void {
  for (const name of readdirSync(join(top, 'host'))) {
    if (name !== 'none.html') rmSync(join(top, 'host', name), { recursive: true });
  }
  if (tree !== '') cpSync(join(folder, tree), join(top, 'host'), { recursive: true });
}

beforeAll(async () => {
  top = temporaryFolder();
  writeFiles(top, { 'host/none.html': '' });
  url = await plainHost(join(top, 'host'), 'none.html');
  const key = ['--key', 'root.pem', '--no-passphrase'];
  expect((await init(['registry', ...SETTINGS, '--base-url', url, ...key], top)).code).toBe(0);
  folder = join(top, 'registry');
  writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
  expect(await json('build', '--production')).toMatchObject({ code: 0 });
  cpSync(join(folder, 'dist'), join(folder, 'published'), { recursive: true });
});

beforeEach(() => {
  deploy('published');
  rmSync(join(folder, 'dist'), { recursive: true, force: true });
});

describe('a first list of a registry whose host', () => {
  it('serves a list of this root key is refused', async () => {
    expect(await json('build', '--production')).toMatchObject(refused);
    expect(existsSync(join(folder, 'dist'))).toBe(false);
    expect(await json('build', '--unsigned', 'request')).toMatchObject(refused);
    expect(existsSync(join(folder, 'request'))).toBe(false);
  });

  it('serves a list of this root key is loaded before the records are judged', async () => {
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { contact: 'a@alpha.example' }) });
    const { next } = await json('status');
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha') });
    expect(next[0].command).toMatch(/^npx passport-registry mirror \S+ \S+ && cp -rL \S+ dist$/);
    expect(next[1].reason).toContain('reserved for examples');
    const obeyed = await run('sh', ['-euc', next[0].command], folder, await installedPath());
    rmSync(join(folder, '.passport-registry/mirror'), { recursive: true });
    expect([obeyed.code, existsSync(join(folder, 'dist/issuers.json'))]).toEqual([0, true]);
  });

  it('serves such a list damaged is refused', async () => {
    rmSync(join(top, 'host/issuers.sig'));
    expect(await json('build', '--production')).toMatchObject(refused);
  });

  it('serves a list of a key to which this one was rotated is refused', async () => {
    cpSync(join(folder, 'published'), join(folder, 'dist'), { recursive: true });
    const next = ['--next-key', '../next.pem', '--next-no-passphrase', '--yes'];
    expect(await json('keys', 'rotate', ...next)).toMatchObject({ code: 0 });
    deploy();
    for (const name of ['dist', 'rotation']) rmSync(join(folder, name), { recursive: true });
    expect(await json('build', '--production')).toMatchObject(refused);
  });

  it('does not answer is refused if a mirror serves a list', async () => {
    const settings = readFileSync(join(folder, 'registry.yaml'), 'utf8');
    writeFiles(folder, {
      'mirrored.yaml': `${settings.replace(url, NOBODY)}mirrors: ['${url}']\n`,
      'unreachable.yaml': settings.replace(url, NOBODY),
    });
    const built = (config: string) => json('--config', config, 'build', '--production');
    expect(await built('mirrored.yaml')).toMatchObject(refused);
    const mirrored = await json('--config', 'mirrored.yaml', 'status');
    expect([mirrored.code, mirrored.mirrors[0].level]).toEqual([1, 'error']);
    expect(await built('unreachable.yaml')).toMatchObject(refused);
  });

  it('does not answer, or not with a list, is refused unless the operator says on a terminal that it is new', async () => {
    const settings = readFileSync(join(folder, 'registry.yaml'), 'utf8');
    const failing = await listen((_request, response) => response.writeHead(503).end());
    const parked = await listen((_request, response) => response.end('<p>For sale</p>'));
    for (const base of [failing, parked, NOBODY]) await doubted(settings.replace(url, base), base);
    for (const [answer, code] of [
      ['yes', 1],
      ['new', 0],
    ] as const) {
      const built = await cliAnswering(
        answer,
        ['--config', 'doubtful.yaml', 'build', '--production'],
        folder,
      );
      expect([built.code, built.stderr]).toEqual([code, expect.stringContaining('answer new')]);
      expect(existsSync(join(folder, 'dist'))).toBe(code === 0);
    }
  });

  /** Nothing is signed, without a terminal, while nobody knows. */
  async function doubted(settings: string, base: string): Promise<void> {
    writeFiles(folder, { 'doubtful.yaml': settings });
    const doubtful = (...args: string[]) => json('--config', 'doubtful.yaml', 'build', ...args);
    const { error, ...outcome } = await doubtful('--production');
    expect({ ...outcome, error }, base).toMatchObject(refused);
    expect(error.message).toMatch(/answer new.*leave base_url and mirrors out of registry.yaml/);
    expect(await doubtful('--unsigned', 'request')).toMatchObject(refused);
    for (const name of ['dist', 'request']) expect(existsSync(join(folder, name))).toBe(false);
  }

  it('serves a list of another root key is refused unless the operator says on a terminal that it is new', async () => {
    const other = ['--private', '../other.pem', '--public', 'other.json', '--no-passphrase'];
    expect((await cli(['keys', 'generate', ...other], folder)).code).toBe(0);
    const settings = readFileSync(join(folder, 'registry.yaml'), 'utf8');
    writeFiles(folder, { 'mirrored.yaml': `${settings.replace(/^base_url:.*$/m, '')}mirrors: ['${url}']\n` });
    const keys = ['--key', '../other.pem', '--root-key', 'other.json'];
    for (const config of ['registry.yaml', 'mirrored.yaml']) {
      const first = ['--config', config, 'build', '--production', ...keys];
      const { error, ...outcome } = await json(...first);
      expect({ ...outcome, error }).toMatchObject(refused);
      expect(error.message).toMatch(/serves a list of another root key, [\w-]{43}.*answer new/);
      expect(existsSync(join(folder, 'dist'))).toBe(false);
      const { code, stderr } = await cliAnswering('new', first, folder);
      expect([code, stderr.split('serves a list of another root key')]).toEqual([
        0,
        [expect.anything(), expect.anything()],
      ]);
      rmSync(join(folder, 'dist'), { recursive: true });
    }
  });

  it('serves no list, or that of a preview, is built', async () => {
    deploy('');
    expect(await json('build', '--production')).toMatchObject({ code: 0 });
    rmSync(join(folder, 'dist'), { recursive: true });
    writeFiles(top, { 'settings.yaml': '' });
    const unsettled = ['--config', join(top, 'settings.yaml')];
    expect(await json(...unsettled, 'build', '--out', 'preview')).toMatchObject({
      code: 0,
      development: true,
    });
    deploy('preview');
    expect((await cli(['build', '--production'], folder, clockAhead(1))).code).toBe(0);
    // Two first lists: nothing continues both.
    deploy('published');
    expect(await json('build', '--production')).toMatchObject(refused);
  });
});

/** A deleted tree takes its host with it if the host serves that folder. */
describe('a first list of a registry whose host has lost its list', () => {
  const git = (...args: string[]) => gitIn(folder, ...args);

  function lose(): void {
    rmSync(join(folder, 'dist'), { recursive: true });
    deploy('');
  }

  /** What the first build and `status` say. */
  async function refusedBuild(...traces: string[]) {
    expect(await json('build', '--production')).toMatchObject(refused);
    expect(await json('build', '--unsigned', 'request')).toMatchObject(refused);
    for (const name of ['dist', 'request']) expect(existsSync(join(folder, name))).toBe(false);
    const { code, tree, next } = await json('status');
    for (const trace of traces) expect(tree.message).toContain(trace);
    expect(next).toHaveLength(1);
    return { code, level: tree.level, next: next[0] };
  }

  it('is refused if the folder has a trust anchor of this root key', async () => {
    const pinned = ['--trust-on-first-use'];
    expect(await json('pin', url, ...pinned)).toMatchObject({ code: 0 });
    deploy('');
    const { code, level, next } = await refusedBuild('trust-anchor.json');
    expect([code, level, next.command]).toEqual([1, 'error', undefined]);
    expect(next.reason).toContain('mirror');
    const other = readFileSync(join(folder, 'trust-anchor.json'), 'utf8').replace('"kty"', '"x-kty"');
    writeFiles(folder, { 'trust-anchor.json': other });
    expect(await json('build', '--production')).toMatchObject({ code: 0 });
    rmSync(join(folder, 'trust-anchor.json'));
  });

  it('is refused if git knows a branch with its tree', async () => {
    git('init', '-q');
    git('init', '-q', '--bare', join(top, 'origin.git'));
    git('remote', 'add', 'origin', join(top, 'origin.git'));
    cpSync(join(folder, 'published'), join(folder, 'dist'), { recursive: true });
    expect((await cli(['branch', 'save', 'dist'], folder)).code).toBe(0);
    lose();
    const { code, level, next } = await refusedBuild('refs/passport-registry/published');
    const load = 'npx passport-registry branch load dist';
    expect([code, level, next.command]).toEqual([1, 'error', load]);
    expect((await cli(['branch', 'load', 'dist'], folder)).code).toBe(0);
    expect(await json('build', '--production')).toMatchObject({ code: 0 });
    // In a clone, the branch has another name.
    git('fetch', '-q');
    git('update-ref', '-d', 'refs/passport-registry/published');
    lose();
    await refusedBuild('refs/remotes/origin/published');
    git('update-ref', '-d', 'refs/remotes/origin/published');
    expect(await json('build', '--production')).toMatchObject({ code: 0 });
  });
});
