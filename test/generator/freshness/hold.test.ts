import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { openRegistry, type RootJwk } from '@passport-registry/verifier';
import { folderSource } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { copyOf } from '../../support/made-once.js';
import { operatorIn } from '../../support/operator.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { jwt, signerKey } from '../../support/signed-tree.js';
import { readTreeFile, removeTreeFile } from '../../support/statements.js';
import { keyPair, recordText, workspace, writeFiles } from '../../support/workspace.js';

const POLICY = { tiers: ['certified' as const] };
let made: string;
let folder: string;
const {
  dist: path,
  text,
  good,
  run,
  record,
  refused: refusedIn,
  claims: claimsOf,
} = operatorIn(() => folder);

beforeAll(async () => {
  folder = await workspace(['alpha', 'beta']);
  for (const name of ['root', 'online', 'other', 'next']) await keyPair(folder, name);
  made = folder;
});

beforeEach(() => {
  folder = copyOf(made);
  // What this machine has signed with the key, which all copies have.
  vi.stubEnv('XDG_STATE_HOME', join(folder, 'state'));
});

const claims = () => claimsOf('checkpoint') as { iat: number; exp: number; hold?: string[] };
/** Runs a command that is refused as wrong usage. Returns the message. */
const refused = async (...args: string[]) => (await refusedIn(args, 2)).stderr;

const ONLINE = ['--online-key', 'online.pem'] as const;
const SETTINGS = withKeys({ checkpoint: 'online.pem' });
const DENIED = withHold(false);
const build = (...more: string[]) => good('build', '--key', 'root.pem', '--production', ...more);
const hold = (...ids: string[]) => good('hold', ...ids, ...ONLINE);
const release = (...ids: string[]) => good('hold', '--end', '--false-alarm', ...ids, ...ONLINE);

/** The options for settings whose online key may hold issuers, or may not. */
function withHold(may_hold: boolean, name = 'online'): string[] {
  return ['--config', JSON.stringify({ checkpoint: { signer: { key: `${name}.pem` }, may_hold } })];
}

/** A registry whose online key may hold issuers. */
const publish = () => build(...SETTINGS);

/** Returns the reasons of verifiers about an issuer. */
async function reasons(id: string): Promise<string[]> {
  const rootKey: RootJwk = JSON.parse(text('keys/root.json'));
  const source = folderSource(path());
  const files = { get: async (file: string) => (await source.get(file))?.bytes };
  const registry = await openRegistry(files, { rootKey, maxAge: 24 * 60 * 60 });
  return registry.decide(id, POLICY).reasons.map(({ code }) => code);
}

describe('hold and release', () => {
  it('stop an issuer with the online key alone, and let it go on', async () => {
    await publish();
    const list = text('issuers.json');
    const held = await hold('alpha');
    expect(held.stderr).toContain('on hold: alpha.');
    expect(held.stderr).toContain('Publish dist now');
    expect(held.stderr).toContain('`suspend alpha --reason "<REASON>"`');
    expect(claims().hold).toEqual(['alpha']);
    expect(await reasons('alpha')).toEqual(['issuer-held']);
    expect(await reasons('beta')).toEqual(['policy-met']);
    expect(text('issuers.json')).toBe(list);
    writeFiles(folder, { 'hours.yaml': 'checkpoint: { hours: 2 }' });
    const more = await good('hold', 'beta', ...ONLINE, '--config', 'hours.yaml', '--json');
    expect(JSON.parse(more.stdout)).toMatchObject({ ok: true, hold: ['alpha', 'beta'], warnings: [] });
    expect(claims().exp - claims().iat).toBe(2 * 60 * 60);
    const next = await good('checkpoint', 'dist', ...ONLINE, '--json');
    expect(JSON.parse(next.stdout).warnings).toEqual([]);
    expect((await run('status', '--out', 'dist')).stdout).toContain('compared with a host\n');
    expect((await release('alpha')).stderr).toContain('on hold: beta.');
    expect(await reasons('alpha')).toEqual(['policy-met']);
    expect((await release('beta')).stderr).toContain('on hold: no issuer');
    expect(claims()).not.toHaveProperty('hold');
    expect(await reasons('beta')).toEqual(['policy-met']);
  });

  it('do not release an issuer that only the hold stops, unless it was a false alarm', async () => {
    await publish();
    await hold('alpha');
    expect(await refused('hold', '--end', 'alpha', ...ONLINE)).toContain('so only the hold stops it');
    expect(await reasons('alpha')).toEqual(['issuer-held']);
    await release('alpha');
    expect(await reasons('alpha')).toEqual(['policy-met']);
  });

  it('date every change later than the checkpoint before, as verifiers demand', async () => {
    await publish();
    const dates = [claims().iat];
    for (const change of [hold, release, hold]) {
      await change('alpha');
      dates.push(claims().iat);
    }
    expect(dates).toEqual([...new Set(dates)].sort());
    await good('checkpoint', ...ONLINE);
    expect(claims().iat).toBeGreaterThanOrEqual(dates.at(-1) as number);
  });

  it('say who is on hold already, and refuse ids that are not listed, with a similar one', async () => {
    await publish();
    await hold('alpha');
    // Whoever is in a hurry gets the rest.
    expect((await hold('beta', 'alpha')).stderr).toContain('WARNING: alpha is on hold already');
    await good('hold', '--end', '--false-alarm', 'beta', ...ONLINE);
    expect(await refused('hold', 'alhpa', ...ONLINE)).toContain('did you mean `alpha`?');
    expect(await refused('hold', '../alpha', ...ONLINE)).toContain('has no issuer ../alpha');
    expect(await refused('hold', '--end', 'beta', ...ONLINE)).toContain('beta is not on hold');
    expect(await refused('hold', '--end', ...ONLINE)).toContain('or pass --all');
    expect(await refused('hold', '--end', 'alpha', '--all', ...ONLINE)).toContain('or pass --all');
    // What only the hold stops is released as a false alarm, by name or with all the others.
    expect(await refused('hold', '--end', '--all', ...ONLINE)).toContain('alpha is active in the list');
    expect(claims().hold).toEqual(['alpha']);
    await good('hold', '--end', '--all', '--false-alarm', ...ONLINE);
    expect(claims().hold).toBeUndefined();
  });

  it('hold at most 64 issuers', async () => {
    const ids = Array.from({ length: 65 }, (_, index) => `bank-${String(index).padStart(2, '0')}`);
    writeFiles(folder, Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id, {})])));
    await publish();
    expect(await refused('hold', ...ids, ...ONLINE)).toContain('a checkpoint holds at most 64 issuers');
    await hold(...ids.slice(0, 64));
    expect(await refused('hold', 'bank-64', ...ONLINE)).toContain('this one would hold 65');
    await release('bank-00');
    await hold('bank-64');
    expect(claims().hold).toEqual(ids.slice(1));
  });

  it('need the permission of the publication, which it gives unless the settings deny it', async () => {
    await build(...DENIED);
    const message = await refused('hold', 'alpha', ...ONLINE);
    expect(message).toContain('does not let online keys hold issuers');
    await publish();
    await hold('alpha');
  });

  it('need no permission for the root key itself', async () => {
    await build(...withKeys({ checkpoint: 'root.pem' }));
    await good('hold', 'alpha', '--online-key', 'root.pem');
    expect(await reasons('alpha')).toEqual(['issuer-held']);
    await good('checkpoint', '--online-key', 'root.pem');
    expect(await reasons('alpha')).toEqual(['issuer-held']);
  });

  it('refuse a key that the publication does not name', async () => {
    await publish();
    const before = text('checkpoint.jwt');
    const { code } = await run('hold', 'alpha', '--online-key', 'other.pem');
    expect([code, text('checkpoint.jwt') === before]).toEqual([3, true]);
  });
});

describe('the command line about a hold', () => {
  it('resolve rejects the issuer, from a folder and from a host; verify and the report of checkpoint name it', async () => {
    await publish();
    await hold('alpha');
    writeFiles(folder, { 'policy.json': JSON.stringify(POLICY) });
    for (const source of ['dist', await serve(path())]) {
      const args = ['--policy', 'policy.json', '--trust-anchor', 'root.json', source];
      const { code, stdout } = await run('resolve', 'alpha', ...args);
      expect([code, stdout]).toEqual([1, expect.stringContaining('issuer-held: the checkpoint holds')]);
      expect((await run('resolve', 'beta', ...args)).code).toBe(0);
      const verified = await good(
        'verify',
        source,
        '--trust-anchor',
        'root.json',
        '--json',
        '--any-content-type',
      );
      expect(JSON.parse(verified.stdout).hold).toEqual(['alpha']);
      expect(verified.stderr).toContain('note: the checkpoint holds alpha');
    }
    const { stdout } = await good('checkpoint', ...ONLINE, '--json');
    expect(JSON.parse(stdout).hold).toEqual(['alpha']);
    await release('alpha');
    expect((await good('verify', 'dist')).stdout).not.toContain('holds');
  });

  it('is unknown to `verify` without a valid checkpoint, and not empty', async () => {
    await publish();
    await hold('alpha');
    const bytes = readTreeFile(path('checkpoint.jwt'));
    for (const damaged of [undefined, bytes.subarray(1)]) {
      if (damaged === undefined) removeTreeFile(path('checkpoint.jwt'));
      else writeFiles(folder, { 'dist/checkpoint.jwt': damaged });
      const { code, stdout } = await run('verify', 'dist', '--json');
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).not.toHaveProperty('hold');
    }
  });

  it('are what a suspension proposes that lacks the root key, if the online key may hold', async () => {
    const suspended = ['suspend', 'alpha', '--reason', 'x', '--key', 'away.pem', '--production'];
    await publish();
    const { code, stderr } = await run(...suspended);
    expect([code, stderr]).toEqual([
      4,
      expect.stringContaining('`hold alpha`, with --online-key and its file ('),
    ]);
    await build(...DENIED);
    expect((await run(...suspended)).stderr).not.toContain('hold alpha');
  });

  it('stay with a suspension without the online key of the settings, if the root key signs the checkpoint', async () => {
    await publish();
    await hold('alpha');
    const away = { signer: { key: 'away.pem' }, public_key: 'online.json' };
    writeFiles(folder, { 'registry.yaml': JSON.stringify({ checkpoint: away }) });
    const suspended = ['suspend', 'beta', '--reason', 'x', '--key', 'root.pem', '--production'];
    const before = text('statements.json');
    const { code, stderr } = await run(...suspended);
    expect([code, stderr]).toEqual([3, expect.stringContaining('--checkpoint-by-root')]);
    expect(text('statements.json')).toBe(before);
    await good(...suspended, '--checkpoint-by-root');
    expect(claims().hold).toEqual(['alpha']);
    expect([await reasons('alpha'), await reasons('beta')]).toEqual([['issuer-held'], ['status-suspended']]);
    expect((await run('verify', 'dist')).code).toBe(0);
    await good('checkpoint', ...ONLINE);
    expect([await reasons('alpha'), claims().hold]).toEqual([['issuer-held'], ['alpha']]);
  });
});

describe('a hold', () => {
  beforeEach(async () => {
    await publish();
    await hold('alpha');
  });

  const held = () => expect(claims().hold).toEqual(['alpha']);

  it('stays with every new checkpoint', async () => {
    await good('checkpoint', ...ONLINE);
    held();
    await build(...SETTINGS, ...withHold(true));
    held();
    record('gamma');
    await build(...SETTINGS);
    held();
    const signing = ['--key', 'root.pem', '--production', ...SETTINGS, '--reason', 'test'];
    await good('suspend', 'beta', ...signing);
    held();
    record('delta');
    await good('build', '--unsigned', 'request', '--root-key', 'root.json', ...SETTINGS);
    await good('sign', 'request', '--key', 'root.pem', '--yes');
    await good('attach', 'request', '--root-key', 'root.json', ...SETTINGS);
    held();
  });

  it('is neither lost nor made again by a request of the time before, whose checkpoint the root key signs', async () => {
    // Without an online key, the request has the checkpoint.
    await build();
    held();
    const request = async (name: string, id: string) => {
      record(id);
      await good('build', '--unsigned', name, '--root-key', 'root.json');
      await good('sign', name, '--key', 'root.pem', '--yes', '--memory', `memory-${name}`);
    };
    const attach = (name: string) => run('attach', name, '--root-key', 'root.json');
    await request('with', 'gamma');
    await good('hold', '--end', '--false-alarm', 'alpha', '--online-key', 'root.pem');
    const ended = text('statements.json');
    const overtaken = await attach('with');
    expect([overtaken.code, overtaken.stderr]).toEqual([2, expect.stringContaining('holds other issuers')]);
    expect(text('statements.json')).toBe(ended);
    await request('without', 'delta');
    await good('hold', 'beta', '--online-key', 'root.pem');
    const again = text('statements.json');
    expect([(await attach('without')).code, text('statements.json')]).toEqual([2, again]);
    await request('again', 'delta');
    expect((await attach('again')).code).toBe(0);
    expect(claims().hold).toEqual(['beta']);
  });

  it('stays when the suspension of the issuer ends, which says so', async () => {
    const root = ['--reason', 'x', '--key', 'root.pem', '--production', ...SETTINGS];
    expect((await good('suspend', 'alpha', ...root)).stderr).not.toContain('still on hold');
    const { stderr } = await good('suspend', '--end', 'alpha', ...root);
    expect(stderr).toContain(
      'Still on hold, so that verifiers go on treating them as suspended: alpha. End that with `hold --end alpha --false-alarm`',
    );
    expect(await reasons('alpha')).toEqual(['issuer-held']);
    await release('alpha');
    expect(await reasons('alpha')).toEqual(['policy-met']);
  });

  it('stays when the list suspends the issuer, until it is released', async () => {
    record('alpha', { status: 'suspended' });
    await build(...SETTINGS);
    held();
    expect(await reasons('alpha')).toEqual(['status-suspended', 'issuer-held']);
    await release('alpha');
    expect(await reasons('alpha')).toEqual(['status-suspended']);
  });

  it('stays with another online key, if that key may hold issuers', async () => {
    const message = await refused('build', '--key', 'root.pem', '--production', ...withHold(false, 'other'));
    expect(message).toContain('hold issuers (alpha)');
    await build(...withHold(true, 'other'));
    held();
    expect(await reasons('alpha')).toEqual(['issuer-held']);
  });

  it('stays with a rotation of the root key, which keeps the permission, and says so', async () => {
    const args = ['--key', 'root.pem', '--next-key', 'next.pem', ...SETTINGS, '--yes'];
    await good('keys', 'rotate', ...args);
    held();
    expect(claimsOf('publication')).toMatchObject({ online: { hold: true } });
    expect(await reasons('alpha')).toEqual(['issuer-held']);
  });

  it('stays after the checkpoint has expired', async () => {
    const hours = (from: number) => Math.floor(Date.now() / 1000) + from * 60 * 60;
    const online = await signerKey(folder, 'online');
    const expired = { ...claims(), iat: hours(-8), exp: hours(-7) };
    writeFiles(folder, { 'dist/checkpoint.jwt': await jwt(online, 'registry-checkpoint+jwt', expired) });
    await good('checkpoint', ...ONLINE);
    held();
    expect(claims().exp).toBeGreaterThan(hours(1));
  });
});

describe('a hold without a key', () => {
  it('names the online key, and what the publication permits', async () => {
    await publish();
    const { kid } = JSON.parse(readFileSync(join(folder, 'online.json'), 'utf8'));
    const { code, stderr } = await run('hold', 'alpha');
    expect([code, stderr]).toEqual([3, expect.stringContaining(kid)]);
    expect(stderr).not.toContain('may_hold');
    await build(...DENIED);
    expect((await run('hold', 'alpha')).stderr).toContain(`${kid} sign checkpoints, but no holds`);
  });

  it('says that there is no online key', async () => {
    await build();
    const { code, stderr } = await run('hold', 'alpha');
    expect([code, stderr]).toEqual([3, expect.stringContaining('names no online key')]);
    // In an emergency, the way is `suspend`; and a typing error is told before a missing key.
    expect(stderr).toContain('`suspend`');
    for (const key of [[], ONLINE]) {
      const unknown = await run('hold', 'alpah', ...key);
      expect([unknown.code, unknown.stderr]).toEqual([2, expect.stringContaining('no issuer alpah')]);
    }
    const withKey = await run('hold', 'alpha', ...ONLINE);
    expect([withKey.code, withKey.stderr]).toEqual([3, expect.stringContaining('names no online key')]);
  });
});
