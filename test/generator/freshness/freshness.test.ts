import { createPrivateKey } from 'node:crypto';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, type RegistryClient, type RootJwk } from '@passport-registry/verifier';
import { decodeJwt, decodeProtectedHeader, SignJWT } from 'jose';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { cli, clockAhead, filesOf, keyPair, workspace, writeFiles } from '../../support/workspace.js';

let made: string;
let folder: string;
const { at, dist: path, text, claims, run, good, record } = operatorIn(() => folder);

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'online', 'stranger', 'next']) await keyPair(folder, name);
  made = folder;
});

beforeEach(() => {
  folder = copyOf(made);
  // What this machine has signed with the key, which all copies have.
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});

const jwk = (name: string): RootJwk => JSON.parse(readFileSync(at(`${name}.json`), 'utf8'));
const lists = () => readdirSync(path('lists')).sort();

/** The options that name settings in which checkpoints are valid for some hours. */
function hoursInSettings(hours: string): string[] {
  writeFiles(folder, { 'hours.yaml': `checkpoint: { hours: ${hours} }\n` });
  return ['--config', 'hours.yaml'];
}

const ONLINE = withKeys({ checkpoint: 'online.pem' });

const build = (...more: string[]) => good('build', '--key', 'root.pem', '--production', ...more);
const checkpoint = (...more: string[]) => good('checkpoint', '--online-key', 'online.pem', ...more);

/** Something to publish. */
let changes = 0;
function change(status: 'active' | 'suspended' | 'revoked' = 'active'): void {
  changes += 1;
  record('alpha', { status, policy_uri: `https://alpha.internal/${changes}` });
}

async function client(base: string, root = 'root'): Promise<RegistryClient> {
  const registry = createRegistryClient({ sources: [base], rootKey: jwk(root), timeout: 60 });
  await registry.ready();
  registry.close();
  return registry;
}

describe('a build without a key for the checkpoint', () => {
  it('is refused before anything is signed, and the root key can sign it instead', async () => {
    await build(...ONLINE);
    const before = filesOf(path());
    change('suspended');
    const away = { signer: { key: 'away.pem' }, public_key: 'online.json' };
    const args = ['build', '--key', 'root.pem', '--production'];
    writeFiles(folder, { 'registry.yaml': JSON.stringify({ checkpoint: away }) });
    const { code, stderr } = await run(...args);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--checkpoint-by-root')]);
    expect(filesOf(path())).toEqual(before);
    await good(...args, '--checkpoint-by-root');
    const { online } = claims('publication') as { online: { keys: RootJwk[] } };
    // The online key stays named: it signs the next checkpoint.
    expect(online.keys.map(({ kid }) => kid)).toEqual([jwk('online').kid]);
    expect(decodeProtectedHeader(text('checkpoint.jwt')).kid).toBe(jwk('root').kid);
    await good('verify', 'dist', '--trust-anchor', 'root.json');
    await checkpoint();
    expect(decodeProtectedHeader(text('checkpoint.jwt')).kid).toBe(jwk('online').kid);
  });

  it('keeps the checkpoint if nothing changes, unless it expires soon', async () => {
    await build(...ONLINE);
    const before = filesOf(path());
    await build(...ONLINE);
    expect(filesOf(path())).toEqual(before);
    const args = ['build', '--key', 'root.pem', '--production', ...ONLINE];
    expect((await cli(args, folder, clockAhead(17 * 60))).code).toBe(0);
    expect(filesOf(path())).toEqual(before);
    expect((await cli(args, folder, clockAhead(19 * 60))).code).toBe(0);
    expect(text('publication.jwt')).toBe(before.get('publication.jwt')?.toString());
    expect(text('checkpoint.jwt')).not.toBe(before.get('checkpoint.jwt')?.toString());
  });
});

describe('a registry with checkpoints', () => {
  it('has one from the first publication on, which a client reads', async () => {
    await build(...ONLINE);
    const base = await serve(path());
    const { checkpointSignedAt, updatedAt } = (await client(base)).status();
    expect(checkpointSignedAt?.getTime()).toBe(Number(claims('checkpoint').iat) * 1000);
    expect(updatedAt).toBe(JSON.parse(text('issuers.json')).updated_at);
    await good('verify', base, '--trust-anchor', 'root.json');
    await good('verify', 'dist', '--trust-anchor', 'root.json');
    expect((await checkpoint()).stderr).toContain('has a checkpoint that is valid until');
  });

  it('publishes a change and its checkpoint at once if the settings name the online key', async () => {
    await build(...ONLINE);
    change('suspended');
    const { stderr } = await build(...ONLINE);
    expect(stderr.match(/^note: .*/gm)).toEqual(['note: alpha: status active → suspended.']);
    expect((await client(await serve(path()))).resolve('alpha')?.status).toBe('suspended');
  });

  it('keeps this list and the two before it', async () => {
    await build(...ONLINE);
    const [first] = lists();
    for (let round = 0; round < 4; round++) {
      change();
      await build(...ONLINE);
    }
    expect(lists()).toHaveLength(3);
    expect(lists()).not.toContain(first);
    await good('verify', 'dist');
    await client(await serve(path()));
  });

  it('is touched nowhere else by a new checkpoint', async () => {
    await build(...ONLINE);
    const files = () =>
      readdirSync(path(), { recursive: true, encoding: 'utf8' })
        .filter((name) => name !== 'statements.json')
        .map((name) => [name, statSync(path(name)).mtimeMs]);
    const before = files();
    const statement = text('publication.jwt');
    const { stdout } = await checkpoint(...hoursInSettings('2'), '--json');
    expect([files(), text('publication.jwt')]).toEqual([before, statement]);
    const { iat = 0, exp = 0 } = decodeJwt(text('checkpoint.jwt'));
    expect(exp - iat).toBe(7200);
    expect(JSON.parse(stdout)).toMatchObject({
      ok: true,
      expires: new Date(exp * 1000).toISOString().replace('.000', ''),
    });
  });

  it('has a checkpoint that a web server can read and rsync tells from the last, whatever the umask', async () => {
    await build(...withKeys({ checkpoint: 'root.pem' }));
    const before = statSync(path('statements.json')).mtimeMs;
    const previous = process.umask(0o077);
    await good('checkpoint', '--online-key', 'root.pem', ...hoursInSettings('2'));
    process.umask(previous);
    const { mode, mtimeMs } = statSync(path('statements.json'));
    expect((mode & 0o777).toString(8)).toBe('644');
    expect(Math.floor(mtimeMs / 1000)).toBeGreaterThan(Math.floor(before / 1000));
  });

  it('has its online key for a time, which a build prolongs in the last third of it', async () => {
    const DAY = 24 * 60;
    const settings = { signer: { key: 'online.pem' }, days_online: 30 };
    writeFiles(folder, { 'registry.yaml': JSON.stringify({ checkpoint: settings }) });
    const later = (days: number, ...args: string[]) => cli(args, folder, clockAhead(days * DAY));
    const rebuild = ['build', '--key', 'root.pem', '--production'];
    await build();
    const first = text('publication.jwt');
    expect((await later(19, ...rebuild)).code).toBe(0);
    expect(text('publication.jwt')).toBe(first);
    // The list is the same, but not the statement.
    const list = text('issuers.json');
    expect((await later(21, ...rebuild)).code).toBe(0);
    expect([text('publication.jwt') === first, text('issuers.json')]).toEqual([false, list]);
    const before = text('checkpoint.jwt');
    const over = await later(52, 'checkpoint');
    expect([over.code, over.stderr]).toEqual([
      3,
      expect.stringMatching(/the online key \S+ could sign until/),
    ]);
    expect(text('checkpoint.jwt')).toBe(before);
    expect((await later(52, ...rebuild)).code).toBe(0);
    expect((await later(52, 'verify', 'dist')).code).toBe(0);
    expect((await later(52, 'checkpoint')).code).toBe(0);
  });

  it('has a checkpoint for at most 31 days', async () => {
    await build(...withKeys({ checkpoint: 'root.pem' }), ...hoursInSettings('744'));
    const { iat = 0, exp = 0 } = decodeJwt(text('checkpoint.jwt'));
    expect(exp - iat).toBe(744 * 3600);
    expect((await good('verify', 'dist')).stdout).not.toContain('WARNING');
    const before = filesOf(path());
    change();
    const args = ['build', '--key', 'root.pem', ...hoursInSettings('745')];
    expect((await run(...args)).code).toBe(2);
    expect(filesOf(path())).toEqual(before);
  });

  describe('under `verify`', () => {
    const HOUR = 60 * 60;
    /** A checkpoint of some time ago, in the tree. */
    async function checkpointOf(hoursAgo: number, hours: number, online = 'online'): Promise<void> {
      const key = createPrivateKey(readFileSync(join(folder, `${online}.pem`)));
      const iat = Math.floor(Date.now() / 1000) - hoursAgo * HOUR;
      const claims = { ...decodeJwt(text('checkpoint.jwt')), iat, exp: iat + hours * HOUR };
      const jwt = new SignJWT(claims).setProtectedHeader({
        alg: 'EdDSA',
        kid: jwk(online).kid ?? '',
        typ: 'registry-checkpoint+jwt',
      });
      writeFiles(folder, { 'dist/checkpoint.jwt': await jwt.sign(key) });
    }

    beforeEach(async () => {
      await build(...ONLINE);
    });

    it('is good, and good a long time before its checkpoint expires', async () => {
      await checkpointOf(17, 24);
      const { stdout } = await good('verify', 'dist');
      expect(stdout).toContain('ok      checkpoint\nok      freshness\n');
      expect(stdout).not.toContain('WARNING');
    });

    it('is warned of in the last quarter of its time', async () => {
      await checkpointOf(20, 24);
      expect((await good('verify', 'dist')).stdout).toMatch(/WARNING: .*, in [34] hours/);
    });

    it('is not good with a checkpoint that has expired; a build can still be made', async () => {
      await checkpointOf(25, 24);
      const { code, stdout } = await run('verify', 'dist');
      expect(code).toBe(1);
      expect(stdout).toMatch(/FAILED {2}freshness\n/);
      change();
      await build(...ONLINE);
      await checkpoint();
      await good('verify', 'dist');
    });

    it.each([
      [
        'signed by a key that is no online key',
        () => checkpointOf(1, 24, 'stranger'),
        'is signed by neither the root key nor an online key of the publication',
      ],
      [
        'no JWT at all',
        async () => writeFiles(folder, { 'dist/checkpoint.jwt': 'x' }),
        'the checkpoint is not a JWS in compact form',
      ],
    ])('is not good with a checkpoint that is %s', async (_name, alter, message) => {
      await alter();
      const { code, stdout } = await run('verify', 'dist', '--trust-anchor', 'root.json');
      expect(code).toBe(1);
      expect(stdout).toMatch(/FAILED {2}checkpoint\n/);
      expect(stdout).toContain(message);
    });
  });

  it('may have its checkpoints from the root key itself', async () => {
    await build(...withKeys({ checkpoint: 'root.pem' }));
    expect(claims('publication')).not.toHaveProperty('online');
    await client(await serve(path()));
    await good('checkpoint', '--online-key', 'root.pem');
  });

  it.each([
    [
      'a key that the publication does not name',
      ['checkpoint', '--online-key', 'stranger.pem'],
      3,
      'emergency.md#the-online-key-has-leaked',
    ],
    ['a key that is not there', ['checkpoint', '--online-key', 'none.pem'], 3, 'does not exist'],
    [
      'a folder that is no tree',
      ['checkpoint', 'issuers', '--online-key', 'online.pem'],
      2,
      'contains no registry',
    ],
    [
      'a build with the key of another setting',
      [
        'build',
        '--key',
        'root.pem',
        '--config',
        JSON.stringify({ checkpoint: { signer: { key: 'stranger.pem' }, public_key: 'online.json' } }),
      ],
      3,
      'but checkpoint.signer has the key',
    ],
    [
      'an online key that is the log key',
      [
        'build',
        '--key',
        'root.pem',
        ...ONLINE,
        ...withKeys({ log: 'online.pem', origin: 'log.example/log' }),
      ],
      3,
      'is the key of the log',
    ],
  ])('refuses %s, and stays as it was', async (_name, args, code, message) => {
    await build(...ONLINE);
    const before = text('statements.json') + text('SHA256SUMS');
    change();
    const outcome = await run(...args);
    expect(outcome.stderr).toContain(message);
    expect(outcome.code).toBe(code);
    expect(text('statements.json') + text('SHA256SUMS')).toBe(before);
  });

  it('by an online key of a tree that names none is refused', async () => {
    await build();
    const before = text('checkpoint.jwt');
    const { code, stderr } = await run('checkpoint', '--online-key', 'online.pem');
    expect([code, stderr]).toEqual([3, expect.stringContaining('names no online key')]);
    expect(text('checkpoint.jwt')).toBe(before);
  });

  it('by an online key that was replaced is refused', async () => {
    await build(...ONLINE);
    await build(...withKeys({ checkpoint: 'stranger.pem' }));
    const { code, stderr } = await run('checkpoint', '--online-key', 'online.pem');
    expect([code, stderr]).toEqual([3, expect.stringContaining('emergency.md#the-online-key-has-leaked')]);
    await good('checkpoint', '--online-key', 'stranger.pem');
  });
});

describe('a rotation of the root key', () => {
  const rotating = (from: string, to: string) =>
    ['keys', 'rotate', '--yes', '--key', `${from}.pem`, '--next-key', `${to}.pem`] as const;

  beforeEach(async () => {
    for (const name of ['second', 'third']) await keyPair(folder, name);
  });

  it('is followed by a verifier that is pinned two roots ago', async () => {
    await build();
    await good(...rotating('root', 'second'));
    await good(...rotating('second', 'third'));
    const base = await serve(path());
    for (const pinned of ['root', 'second', 'third']) {
      expect((await client(base, pinned)).status().rootKeys).toEqual([jwk('third').kid]);
    }
    await expect(client(base, 'stranger')).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    // The chain stays from build to build.
    change();
    await good('build', '--key', 'third.pem');
    expect(JSON.parse(text('keys/rotation.json'))).toHaveLength(2);
  });

  it('of a registry with an online key needs a key for the checkpoint, and reaches clients at once', async () => {
    await build(...ONLINE);
    const base = await serve(path());
    const held = createRegistryClient({ sources: [base], rootKey: jwk('root') });
    await held.ready();
    const before = filesOf(path());
    const without = await cli(
      [...rotating('root', 'second'), ...withKeys({ checkpoint: 'away.pem' })],
      folder,
    );
    expect([without.code, filesOf(path())]).toEqual([3, before]);
    await held.refresh();
    expect(held.status().rootKeys).toEqual([jwk('root').kid]);
    await good(...rotating('root', 'second'), ...ONLINE);
    await held.refresh();
    expect(held.status()).toMatchObject({ rootKeys: [jwk('second').kid] });
    held.close();
    await checkpoint();
    await client(base, 'root');
  });

  it('does not let the replaced root key be an online key', async () => {
    await build(...ONLINE);
    await good(...rotating('root', 'second'), ...ONLINE);
    const before = filesOf(path());
    const old = withKeys({ checkpoint: 'root.pem' });
    const { code, stderr } = await run('build', '--key', 'second.pem', ...old);
    expect([code, stderr]).toEqual([3, expect.stringContaining('was the root key before')]);
    expect(filesOf(path())).toEqual(before);
  });
});
