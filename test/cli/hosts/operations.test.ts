import { cpSync, existsSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { describeWith } from '../../support/components.js';
import { copyOf } from '../../support/made-once.js';
import { noteSigner } from '../../support/note-keys.js';
import { freePort, listen, mistypedHost, plainHost, serve } from '../../support/serving.js';
import { claimsOf, jwt, seconds, signerKey } from '../../support/signed-tree.js';
import { cli, cliProcess, clockAhead, recordText, workspace, writeFiles } from '../../support/workspace.js';

const TYPE = 'registry-operations+jwt';
const HOUR = 60 * 60;
const WITNESS = noteSigner('witness.example', 'witness');
let made: string;
let folder: string;

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'next', 'online', 'stranger']) {
    writeFiles(folder, {
      [`${name}.json`]: await good('keys', 'generate', '--no-passphrase', '--private', `${name}.pem`),
    });
  }
  writeFiles(folder, { 'none.yaml': '{}' });
  await delegate('root', '--hold');
  configure();
  await build('--delegation', 'root.jwt', '--updated-at', '2026-11-01T00:00:00Z');
  made = folder;
});

beforeEach(() => {
  folder = copyOf(made);
});

afterEach(() => {
  vi.restoreAllMocks();
});

/** Makes the limit for all mirrors shorter than its ten seconds, but not that of a single response. */
function shortenLimit(): void {
  const { timeout } = AbortSignal;
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms === 10_000 ? 3_000 : ms));
}

const path = (...steps: string[]) => join(folder, 'dist', ...steps);
const text = (file: string) => readFileSync(path(file), 'utf8');
const operations = () => claimsOf(readFileSync(path('operations.jwt')));
const checkpointClaims = () => claimsOf(readFileSync(path('checkpoint.jwt')));
const isThere = () => existsSync(path('operations.jwt'));

async function good(...args: string[]): Promise<string> {
  const { code, stdout, stderr } = await cli(args, folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  return stdout;
}

function configure(settings: object = {}, signer = 'root'): void {
  const online = { signer: { key: 'online.pem' }, public_key: 'online.json' };
  const all = {
    ...{ root_key: `${signer}.json`, signer: { key: `${signer}.pem` }, checkpoint: online },
    ...settings,
  };
  // JSON is YAML, too.
  writeFiles(folder, { 'registry.yaml': JSON.stringify(all) });
}

async function delegate(signer: string, ...more: string[]): Promise<void> {
  const args = ['keys', 'delegate', '--key', `${signer}.pem`, '--online', 'online.json', ...more];
  writeFiles(folder, { [`${signer}.jwt`]: await good('--config', 'none.yaml', ...args) });
}

const build = (...more: string[]) => good('build', '--production', '--renew', ...more);

/** Runs a command, and returns its report and its messages. */
async function report(...args: string[]) {
  const { code, stdout, stderr } = await cli([...args, '--json'], folder);
  expect([code, stderr]).toEqual([0, expect.not.stringContaining('passport-registry:')]);
  return { ...JSON.parse(stdout), stderr };
}

/** The check of the operations statement by `verify`, and the warnings. */
async function verified(where = 'dist', environment: Record<string, string> = {}) {
  const outcome = await cli(['verify', where, '--json'], folder, environment);
  const { ok, checks, warnings } = JSON.parse(outcome.stdout);
  const found = checks.find(({ name }: { name: string }) => name === 'operations');
  return { ok, result: found.result, problems: found.problems, warnings };
}

/** A copy of the tree, as a mirror that was in sync at this time. */
function copyTree(name: string): string {
  cpSync(path(), join(folder, name), { recursive: true });
  return join(folder, name);
}

/** A mirror that serves a copy of the tree. */
const mirrorOf = (name: string, alter?: Parameters<typeof plainHost>[2]) =>
  plainHost(copyTree(name), '404.html', alter);

/** Puts a statement into the tree that somebody has signed. */
async function put(signer: string, claims: object): Promise<void> {
  const all = { iat: seconds(), exp: seconds(HOUR), mirrors: [], witnesses: [], ...claims };
  writeFiles(folder, { 'dist/operations.jwt': await jwt(await signerKey(folder, signer), TYPE, all) });
}

describe('checkpoint', () => {
  it('publishes the state of each mirror, with the times of the checkpoint', async () => {
    const late = await mirrorOf('late');
    await build('--updated-at', '2026-11-01T01:00:00Z');
    const same = await mirrorOf('same');
    const altered = await mirrorOf('altered', (file, bytes) =>
      file.endsWith('/issuers.json') ? Buffer.from(bytes.toString().replace('active', 'revoked')) : bytes,
    );
    const gone = `http://127.0.0.1:${await freePort()}`;
    copyTree('before');
    await build('--updated-at', '2026-11-01T02:00:00Z');
    const ahead = await mirrorOf('ahead');
    rmSync(path(), { recursive: true });
    cpSync(join(folder, 'before'), path(), { recursive: true });
    configure({ mirrors: [same, late, altered, gone, ahead] });
    const { ok, mirrors, warnings, stderr } = await report('checkpoint');
    const expected = [
      { url: same, state: 'in sync', behind: 0, updated_at: '2026-11-01T01:00:00Z' },
      { url: late, state: 'behind', behind: HOUR, updated_at: '2026-11-01T00:00:00Z' },
      { url: altered, state: 'altered' },
      { url: gone, state: 'unreachable' },
      { url: ahead, state: 'ahead', updated_at: '2026-11-01T02:00:00Z' },
    ];
    expect({ ok, mirrors, warnings }).toEqual({ ok: true, mirrors: expected, warnings: [] });
    expect(stderr).toContain(`mirror ${late}: behind by 3600 s\n`);
    const { iat, exp } = checkpointClaims();
    expect(operations()).toEqual({ iat, exp, mirrors: expected, witnesses: [] });
    const online = await signerKey(folder, 'online');
    const header = JSON.parse(
      Buffer.from(text('operations.jwt').split('.')[0] ?? '', 'base64url').toString(),
    );
    expect(header).toEqual({ alg: 'EdDSA', kid: online.rootKey.thumbprint, typ: TYPE });
    expect(text('SHA256SUMS')).not.toContain('operations.jwt');
    expect(await verified()).toEqual({ ok: true, result: 'passed', problems: [], warnings: [] });
  });

  it('says that a mirror serves an expired checkpoint', async () => {
    await good('checkpoint');
    const host = await mirrorOf('expired');
    const expired = { ...checkpointClaims(), iat: seconds(-3 * HOUR), exp: seconds(-HOUR) };
    const statement = await jwt(await signerKey(folder, 'root'), 'registry-checkpoint+jwt', expired);
    writeFiles(folder, { 'expired/checkpoint.jwt': statement });
    const { mirrors } = await report('checkpoint', '--mirror', host);
    expect(mirrors).toEqual([{ url: host, state: 'expired', behind: 0, updated_at: '2026-11-01T00:00:00Z' }]);
  });

  it('names the witnesses and the quorum, and asks nobody if there are no mirrors', async () => {
    const witnesses = [{ key: WITNESS.vkey, mirror: await plainHost(path(), '404.html') }];
    configure({ log: { witnesses, quorum: 1 } });
    expect(await report('checkpoint')).toMatchObject({ ok: true, mirrors: [], warnings: [] });
    const { iat, exp } = checkpointClaims();
    expect(operations()).toEqual({ iat, exp, mirrors: [], witnesses: [WITNESS.vkey], quorum: 1 });
    expect(await verified()).toMatchObject({ ok: true, result: 'passed' });
  });

  it('writes nothing of a registry that names neither', async () => {
    expect(await report('checkpoint')).not.toHaveProperty('mirrors');
    expect(isThere()).toBe(false);
    expect(await verified()).toMatchObject({
      ok: true,
      result: 'skipped',
      problems: ['the tree has no operations.jwt'],
    });
  });

  it('publishes the checkpoint before it asks the mirrors, and waits for none that never answers', async () => {
    shortenLimit();
    const same = await mirrorOf('same');
    const before = text('checkpoint.jwt');
    let published: string | undefined;
    let overdue = false;
    const silent = await listen((_request, response) => {
      published ??= text('checkpoint.jwt');
      // Long after the limit for all mirrors, and before that of a single response.
      const timer = setTimeout(() => {
        overdue = true;
      }, 25_000);
      response.once('close', () => clearTimeout(timer));
    });
    // Stops in the middle of the list.
    const stuck = await listen((request, response) => {
      const file = join(folder, 'same', (request.url ?? '').replace(/\?.*/, ''));
      if (!existsSync(file)) response.writeHead(404).end();
      else if (file.endsWith('issuers.json')) response.writeHead(200).write('{');
      else response.end(readFileSync(file));
    });
    configure({ mirrors: [silent, stuck, same] });
    const states = (await report('checkpoint', '--hours', '2')).mirrors.map(
      ({ state }: { state: string }) => state,
    );
    expect(states).toEqual(['unreachable', 'unreachable', 'in sync']);
    expect(text('checkpoint.jwt')).not.toBe(before);
    expect([published, overdue]).toEqual([text('checkpoint.jwt'), false]);
  });

  it('holds no lock while it asks the mirrors, and writes nothing if the tree changes meanwhile', async () => {
    let held: Promise<unknown> | undefined;
    const slow = await listen(async (_request, response) => {
      held ??= cliProcess(['hold', 'alpha', '--online-key', 'online.pem'], folder);
      await held;
      response.writeHead(404).end();
    });
    const { warnings } = await report('checkpoint', '--mirror', slow);
    expect(warnings).toEqual([expect.stringContaining('was published again while the mirrors were asked')]);
    expect([checkpointClaims()['hold'], isThere()]).toEqual([['alpha'], false]);
  });

  it.each([
    ['more mirrors than the statement may name', 65, 'mirrors'],
    ['more mirrors than fit into the statement', 60, '16384 bytes'],
  ])('warns of %s, and publishes the checkpoint', async (_name, count, reason) => {
    const base = await listen((_request, response) => response.writeHead(404).end());
    const long = 'x'.repeat(count === 60 ? 200 : 1);
    const mirrors = Array.from({ length: count }, (_one, index) => `${base}/${long}${index}`);
    configure({ mirrors });
    const before = text('checkpoint.jwt');
    const { ok, warnings } = await report('checkpoint', '--hours', '2');
    expect([ok, warnings]).toEqual([true, [expect.stringContaining(reason)]]);
    expect(warnings[0]).toContain('operations.jwt was not published');
    expect([isThere(), text('checkpoint.jwt') === before]).toEqual([false, false]);
  });

  it('refuses a mirror that is no URL before anything is signed', async () => {
    const before = text('checkpoint.jwt');
    const { code, stderr } = await cli(['checkpoint', '--mirror', 'dist'], folder);
    expect([code, stderr]).toEqual([2, expect.stringContaining('dist is not an http(s) URL')]);
    expect(text('checkpoint.jwt')).toBe(before);
  });
});

describe('hold and release', () => {
  const hold = () => good('hold', 'alpha', '--online-key', 'online.pem');
  const release = () => good('hold', '--end', 'alpha', '--false-alarm', '--online-key', 'online.pem');

  it('ask no mirror, and keep the statement', async () => {
    let asked = 0;
    const mirror = await listen((_request, response) => {
      asked += 1;
      response.writeHead(404).end();
    });
    configure({ mirrors: [mirror] });
    await good('checkpoint');
    const [before, requests] = [text('operations.jwt'), asked];
    expect(requests).toBeGreaterThan(0);
    await hold();
    await release();
    expect([text('operations.jwt') === before, asked]).toEqual([true, requests]);
    expect(await verified()).toMatchObject({ ok: true, result: 'passed' });
  });

  it.each([
    ['expired', () => put('online', { iat: seconds(-HOUR), exp: seconds(-HOUR / 2) })],
    ['forged', () => put('stranger', {})],
    ['no JWT', async () => writeFiles(folder, { 'dist/operations.jwt': 'x' })],
    ['too large', async () => writeFiles(folder, { 'dist/operations.jwt': 'x'.repeat(16 * 1024 + 1) })],
    ['a folder', async () => writeFiles(folder, { 'dist/operations.jwt/file': 'x' })],
  ])('remove a statement that is %s', async (_name, spoil) => {
    await delegate('root', '--hold');
    await spoil();
    await hold();
    expect([checkpointClaims()['hold'], isThere()]).toEqual([['alpha'], false]);
  });
});

describe('a build', () => {
  beforeEach(async () => {
    await good('checkpoint', '--mirror', await mirrorOf('same'));
  });

  it('keeps the statement, with and without a new checkpoint', async () => {
    const before = text('operations.jwt');
    await build();
    writeFiles(folder, { 'issuers/alpha.yaml': recordText('alpha', { status: 'suspended' }) });
    configure({ checkpoint: { signer: { key: 'online.pem' }, hours: 2 } });
    await build();
    configure();
    expect(text('operations.jwt')).toBe(before);
    expect(text('SHA256SUMS')).not.toContain('operations.jwt');
    expect(await verified()).toMatchObject({ ok: true, result: 'passed' });
  });

  it('drops the statement under a new delegation that does not name its key, or begins after it', async () => {
    await put('online', { iat: seconds(-2) });
    await delegate('root', '--hold');
    await build('--delegation', 'root.jwt');
    expect(isThere()).toBe(false);
    expect(await verified()).toMatchObject({ ok: true, result: 'skipped' });
  });

  it('drops the statement with the root key that it depends on', async () => {
    const step = await good('keys', 'step', '--key', 'root.pem', '--next', 'next.json');
    writeFiles(folder, { step });
    await delegate('next');
    await put('root', {});
    expect(await verified()).toMatchObject({ ok: true, result: 'passed' });
    configure({}, 'next');
    await build('--rotation', 'step', '--delegation', 'next.jwt');
    expect(isThere()).toBe(false);
  });

  it('drops a statement that has expired', async () => {
    await put('root', { iat: seconds(-HOUR), exp: seconds(-HOUR / 2) });
    await build();
    expect(isThere()).toBe(false);
  });
});

describe('after a rotation of the root key', () => {
  it('a mirror that has the outgoing key is behind, and none is altered, whatever another one does', async () => {
    shortenLimit();
    const old = await mirrorOf('old');
    writeFiles(folder, { step: await good('keys', 'step', '--key', 'root.pem', '--next', 'next.json') });
    await delegate('next');
    configure({}, 'next');
    await build('--rotation', 'step', '--delegation', 'next.jwt', '--updated-at', '2026-11-01T01:00:00Z');
    const [same, silent] = [await mirrorOf('same'), await listen(() => undefined)];
    const { mirrors } = await report('checkpoint', '--mirror', old, silent, same);
    expect(mirrors).toEqual([
      { url: old, state: 'behind', behind: HOUR, updated_at: '2026-11-01T00:00:00Z' },
      { url: silent, state: 'unreachable' },
      { url: same, state: 'in sync', behind: 0, updated_at: '2026-11-01T01:00:00Z' },
    ]);
    expect(await verified()).toMatchObject({ ok: true, result: 'passed' });
  });
});

describe('verify', () => {
  it('warns of a statement that has expired', async () => {
    await good('checkpoint', '--hours', '1', '--mirror', await mirrorOf('same'));
    await put('online', { exp: seconds(HOUR / 2) });
    const found = await verified('dist', clockAhead(45));
    expect([found.ok, found.result]).toEqual([true, 'passed']);
    expect(found.warnings).toContainEqual(
      expect.stringMatching(/^the operations statement expired at .*: `checkpoint` signs a new one$/),
    );
  });

  it.each([
    ['by a key that is not delegated', () => put('stranger', {}), 'the delegation does not name'],
    [
      'dated before its delegation',
      () => put('online', { iat: seconds(-24 * HOUR) }),
      'not within the iat and exp',
    ],
    ['dated in the future', () => put('root', { iat: seconds(HOUR) }), 'which is in the future'],
    ['valid only later', () => put('root', { nbf: seconds(HOUR) }), 'which is in the future'],
    [
      'that names a mirror with a password',
      () => put('root', { mirrors: [mirror('https://a:b@c.example')] }),
      'mirrors',
    ],
    ['that is empty', async () => writeFiles(folder, { 'dist/operations.jwt': '' }), 'not a JWS'],
    [
      'that is too large',
      async () => writeFiles(folder, { 'dist/operations.jwt': 'x'.repeat(16 * 1024 + 1) }),
      'larger than 16384 bytes',
    ],
  ])('refuses a statement %s, in a folder and on a host', async (_name, spoil, reason) => {
    await spoil();
    for (const where of ['dist', await plainHost(path(), '404.html')]) {
      expect(await verified(where)).toMatchObject({
        ok: false,
        result: 'failed',
        problems: [expect.stringContaining(reason)],
      });
    }
  });

  it('and status call a tree with a bad statement an error, and the next build drops the statement', async () => {
    await put('stranger', {});
    const { code, stdout } = await cli(['status', '--offline', '--json'], folder);
    expect([code, JSON.stringify(JSON.parse(stdout).tree)]).toEqual([
      1,
      expect.stringContaining('the delegation does not name'),
    ]);
    await build();
    expect(isThere()).toBe(false);
  });
});

const mirror = (url: string) => ({ url, state: 'in sync' });

describeWith(['rsync'], 'a mirror', () => {
  const update = (source: string) =>
    cli(['mirror', source, 'mirror', '--root-key', 'root.json', '--json'], folder);
  const mirrored = () => join(folder, 'mirror/current/operations.jwt');
  const same = () => readFileSync(mirrored(), 'utf8') === text('operations.jwt');
  const from = { 'a host': () => plainHost(path(), '404.html'), 'a folder, by rsync': async () => 'dist' };

  async function mirrorOk(source: string) {
    const { code, stdout, stderr } = await update(source);
    expect([code, stderr]).toEqual([0, expect.stringContaining('mirror ok')]);
    return JSON.parse(stdout);
  }

  it.each(Object.entries(from))(
    'of %s copies the statement unchanged, also if only that is new',
    async (_name, start) => {
      const source = await start();
      expect((await mirrorOk(source)).warnings).toEqual([]);
      await put('online', {});
      expect(await mirrorOk(source)).toMatchObject({ switched: true, warnings: [] });
      expect(same()).toBe(true);
      expect(await mirrorOk(source)).toMatchObject({ switched: false });
      await put('online', { witnesses: [WITNESS.vkey] });
      expect(await mirrorOk(source)).toMatchObject({ switched: true });
      expect(same()).toBe(true);
      expect(await verified('mirror/current')).toMatchObject({ ok: true, result: 'passed' });
    },
  );

  it.each(Object.entries(from))(
    'of %s leaves a bad statement out, and serves the newer list',
    async (_name, start) => {
      const source = await start();
      await put('online', {});
      await mirrorOk(source);
      await build('--updated-at', '2026-11-01T01:00:00Z');
      const bad = [
        () => put('stranger', {}),
        () => put('online', { iat: seconds(HOUR) }),
        async () => writeFiles(folder, { 'dist/operations.jwt': 'x'.repeat(16 * 1024 + 1) }),
      ];
      for (const [index, spoil] of bad.entries()) {
        await spoil();
        const { updatedAt, switched, warnings } = await mirrorOk(source);
        expect([updatedAt, switched]).toEqual(['2026-11-01T01:00:00Z', index === 0]);
        expect(warnings).toEqual([expect.stringContaining('operations.jwt is left out: ')]);
        expect(existsSync(mirrored())).toBe(false);
        expect((await verified('mirror/current')).ok).toBe(true);
      }
    },
  );

  it('copies a statement that has expired, as it copies an expired checkpoint', async () => {
    await put('root', { iat: seconds(-HOUR), exp: seconds(-HOUR / 2) });
    const { warnings } = await mirrorOk(await plainHost(path(), '404.html'));
    expect(warnings).toEqual([expect.stringContaining('the operations statement expired')]);
    expect(same()).toBe(true);
  });
});

/** verification/hosts.test.ts has the other hosts. */
it('is served as a JWT for a minute, and part of what conformance asks of a host', async () => {
  await good('checkpoint', '--mirror', await mirrorOf('same'));
  const base = await serve(path());
  const { headers } = await fetch(`${base}/operations.jwt`);
  expect([headers.get('content-type'), headers.get('cache-control')]).toEqual([
    'application/jwt',
    expect.stringContaining('max-age=60'),
  ]);
  const conformance = await cli(['verify', base, '--conformance', '--json'], folder);
  expect(conformance.stdout).toContain('operations.jwt');
  expect(await verified(base)).toMatchObject({ ok: true, result: 'passed' });
});

it('has a content type, which verify demands of a host', async () => {
  await good('checkpoint', '--mirror', await mirrorOf('same'));
  const host = await mistypedHost(path(), 'operations.jwt');
  const { code, stderr } = await cli(['verify', host], folder);
  expect([code, stderr]).toEqual([1, expect.stringMatching(/operations\.jwt.*application\/jwt/)]);
});
