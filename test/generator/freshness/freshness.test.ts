import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistryClient, type RegistryClient, type RootJwk } from '@passport-registry/verifier';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { cli, clockAhead, filesOf, keyPair, workspace, writeFiles } from '../../support/workspace.js';

let made: string;
let folder: string;
const { at, dist: path, text, claims, run, good, record, refused } = operatorIn(() => folder);

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

  it.each([
    ['is good a long time before its checkpoint expires', 17, 0, /^(?!.*WARNING).*ok {6}freshness\n/s],
    ['is warned of in the last quarter of its time', 20, 0, /WARNING: .*, in [34] hours/],
    ['is not good with a checkpoint that has expired', 25, 1, /FAILED {2}freshness\n/],
  ])('under `verify` %s', async (_what, hours, expected, report) => {
    await build(...ONLINE);
    const { code, stdout } = await cli(['verify', 'dist'], folder, clockAhead(hours * 60));
    expect([code, stdout]).toEqual([expected, expect.stringMatching(report)]);
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
});

describe('a rotation of the root key', () => {
  const ROTATE = ['keys', 'rotate', '--yes', '--key', 'root.pem', '--next-key', 'next.pem'];

  it('does not let the replaced root key be an online key', async () => {
    await build(...ONLINE);
    await good(...ROTATE, ...ONLINE);
    await refused(['build', '--key', 'next.pem', ...withKeys({ checkpoint: 'root.pem' })], 3);
  });
});
