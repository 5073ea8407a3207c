import { openRegistry, type RootJwk } from '@passport-registry/verifier';
import { folderSource } from 'passport-registry';
import { beforeEach, describe, expect, it } from 'vitest';
import { expectCommandError } from '../../support/expect-command-error.js';
import { operatorInCopies } from '../../support/operator.js';
import { keyIn, statement } from '../../support/publication.js';
import { serve } from '../../support/serving.js';
import { withKeys } from '../../support/settings.js';
import { readTreeFile, removeTreeFile } from '../../support/statements.js';
import { seconds } from '../../support/times.js';
import { keyedWorkspace, recordText, writeFiles } from '../../support/workspace.js';

const operator = operatorInCopies(() => keyedWorkspace(['alpha', 'beta'], 'online', 'other', 'next'));
const { at, dist, text, good, run, record, refused } = operator;

const POLICY = { tiers: ['certified' as const] };
const ONLINE = ['--online-key', 'online.pem'] as const;
const SETTINGS = withKeys({ checkpoint: 'online.pem' });
const ROOT = ['--key', 'key.pem', '--production'];

/** The options for settings whose online key may hold issuers, or may not. */
const mayHold = (may_hold: boolean, name = 'online') => [
  '--config',
  JSON.stringify({ checkpoint: { signer: { key: `${name}.pem` }, may_hold } }),
];

const claims = () => operator.claims('checkpoint') as { iat: number; exp: number; hold?: string[] };
const build = (...more: string[]) => good('build', ...ROOT, ...more);
/** Publishes a registry whose online key may hold issuers. */
const publish = () => build(...SETTINGS);
const hold = (...ids: string[]) => good('hold', ...ids, ...ONLINE);
const release = (...ids: string[]) => good('hold', '--end', '--false-alarm', ...ids, ...ONLINE);
/** Asserts that a command is refused as wrong usage, for this reason. */
const misused = async (fact: string, ...args: string[]) =>
  expectCommandError(await refused([...args, ...ONLINE, '--json']), 'ERR_USAGE', fact);

/** The reasons of verifiers about an issuer. */
async function reasons(id: string): Promise<string[]> {
  const rootKey: RootJwk = JSON.parse(text('keys/root.json'));
  const source = folderSource(dist());
  const files = { get: async (file: string) => (await source.get(file))?.bytes };
  const registry = await openRegistry(files, { rootKey, maxAge: 24 * 60 * 60 });
  return registry.decide(id, POLICY).reasons.map(({ code }) => code);
}

describe('hold and release', () => {
  it('stop an issuer with the online key alone, and let it go on', async () => {
    await publish();
    const list = text('issuers.json');
    await hold('alpha');
    expect([await reasons('alpha'), await reasons('beta')]).toEqual([['issuer-held'], ['policy-met']]);
    expect(text('issuers.json')).toBe(list);
    writeFiles(at(), { 'hours.yaml': 'checkpoint: { hours: 2 }' });
    const { stdout } = await good('hold', 'beta', ...ONLINE, '--config', 'hours.yaml', '--json');
    expect(JSON.parse(stdout)).toMatchObject({ ok: true, hold: ['alpha', 'beta'], warnings: [] });
    expect(claims().exp - claims().iat).toBe(2 * 60 * 60);
    const renewed = await good('checkpoint', 'dist', ...ONLINE, '--json');
    expect(JSON.parse(renewed.stdout)).toMatchObject({ hold: ['alpha', 'beta'], warnings: [] });
    // The words name whom verifiers treat as suspended.
    expect((await release('alpha')).stderr).toContain('on hold: beta.');
    expect([await reasons('alpha'), await reasons('beta')]).toEqual([['policy-met'], ['issuer-held']]);
    await release('beta');
    expect(claims()).not.toHaveProperty('hold');
    expect(await reasons('beta')).toEqual(['policy-met']);
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

  it('are told who is on hold already, who is not listed, and who is released only as a false alarm', async () => {
    await publish();
    await hold('alpha');
    // Whoever is in a hurry gets the rest.
    expect((await hold('beta', 'alpha')).stderr).toContain('WARNING: alpha is on hold already');
    await release('beta');
    await misused('`alpha`', 'hold', 'alhpa');
    await misused('no issuer ../alpha', 'hold', '../alpha');
    await misused('beta is not on hold', 'hold', '--end', 'beta');
    await misused('--all', 'hold', '--end');
    await misused('--all', 'hold', '--end', 'alpha', '--all');
    await misused('only the hold stops it', 'hold', '--end', 'alpha');
    await misused('alpha is active in the list', 'hold', '--end', '--all');
    expect(claims().hold).toEqual(['alpha']);
    await release('--all');
    expect(claims().hold).toBeUndefined();
  });

  it('hold at most 64 issuers', async () => {
    const ids = Array.from({ length: 65 }, (_, index) => `bank-${String(index).padStart(2, '0')}`);
    writeFiles(at(), Object.fromEntries(ids.map((id) => [`issuers/${id}.yaml`, recordText(id)])));
    await publish();
    await misused('at most 64 issuers', 'hold', ...ids);
    await hold(...ids.slice(0, 64));
    await misused('would hold 65', 'hold', 'bank-64');
    await release('bank-00');
    await hold('bank-64');
    expect(claims().hold).toEqual(ids.slice(1));
  });

  it('need the permission of the publication, which it gives unless the settings deny it', async () => {
    await build(...mayHold(false));
    await misused('not let online keys hold', 'hold', 'alpha');
    await publish();
    await hold('alpha');
  });

  it('need no permission for the root key itself', async () => {
    await build(...withKeys({ checkpoint: 'key.pem' }));
    await good('hold', 'alpha', '--online-key', 'key.pem');
    await good('checkpoint', '--online-key', 'key.pem');
    expect(await reasons('alpha')).toEqual(['issuer-held']);
  });

  it('need a key that the publication names, and know a typing error without one', async () => {
    await publish();
    await refused(['hold', 'alpha'], 3);
    await refused(['hold', 'alpha', '--online-key', 'other.pem'], 3);
    await refused(['hold', 'alpah'], 2);
    await build('--checkpoint-by-root');
    await refused(['hold', 'alpha', '--online-key', 'other.pem'], 3);
  });
});

describe('the command line about a hold', () => {
  it('rejects the issuer, from a folder and from a host, and verify names it', async () => {
    await publish();
    await hold('alpha');
    writeFiles(at(), { 'policy.json': JSON.stringify(POLICY) });
    for (const source of ['dist', await serve(dist())]) {
      const args = ['--policy', 'policy.json', '--trust-anchor', 'key.json', source];
      expect((await run('resolve', 'alpha', ...args)).code).toBe(1);
      expect((await run('resolve', 'beta', ...args)).code).toBe(0);
      const verified = await good('verify', source, '--trust-anchor', 'key.json', '--json');
      expect(JSON.parse(verified.stdout).hold).toEqual(['alpha']);
      expect(verified.stderr).toContain('note: the checkpoint holds alpha');
    }
  });

  it('does not know it without a valid checkpoint, and does not take it for none', async () => {
    await publish();
    await hold('alpha');
    const bytes = readTreeFile(dist('checkpoint.jwt'));
    for (const damaged of [undefined, bytes.subarray(1)]) {
      if (damaged === undefined) removeTreeFile(dist('checkpoint.jwt'));
      else writeFiles(at(), { 'dist/checkpoint.jwt': damaged });
      const { code, stdout } = await run('verify', 'dist', '--json');
      expect(code).toBe(1);
      expect(JSON.parse(stdout)).not.toHaveProperty('hold');
    }
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
    await build(...SETTINGS, ...mayHold(true));
    held();
    record('gamma');
    await build(...SETTINGS);
    held();
    await good('suspend', 'beta', ...ROOT, ...SETTINGS, '--reason', 'test');
    held();
    record('delta');
    await good('build', '--unsigned', 'request', '--root-key', 'key.json', ...SETTINGS);
    await good('sign', 'request', '--key', 'key.pem', '--yes');
    await good('attach', 'request', '--root-key', 'key.json', ...SETTINGS);
    held();
    await good('suspend', 'gamma', ...ROOT, ...SETTINGS, '--checkpoint-by-root', '--reason', 'test');
    held();
    await good('keys', 'rotate', '--yes', ...ROOT.slice(0, 2), '--next-key', 'next.pem', ...SETTINGS);
    held();
    expect(operator.claims('publication')).toMatchObject({ online: { hold: true } });
    expect(await reasons('alpha')).toEqual(['issuer-held']);
  });

  it('is neither lost nor made again by a request of the time before, whose checkpoint the root key signs', async () => {
    // Without an online key, the request has the checkpoint.
    await build();
    held();
    const request = async (name: string, id: string) => {
      record(id);
      await good('build', '--unsigned', name, '--root-key', 'key.json');
      await good('sign', name, '--key', 'key.pem', '--yes', '--memory', `memory-${name}`);
    };
    const overtaken = (name: string) => refused(['attach', name, '--root-key', 'key.json'], 2);
    await request('with', 'gamma');
    await good('hold', '--end', '--false-alarm', 'alpha', '--online-key', 'key.pem');
    await overtaken('with');
    await request('without', 'delta');
    await good('hold', 'beta', '--online-key', 'key.pem');
    await overtaken('without');
    await request('again', 'delta');
    await good('attach', 'again', '--root-key', 'key.json');
    expect(claims().hold).toEqual(['beta']);
  });

  it('stays while the list suspends the issuer, and after that, until it is released', async () => {
    const root = ['--reason', 'x', ...ROOT, ...SETTINGS];
    expect((await good('suspend', 'alpha', ...root)).stderr).not.toContain('Still on hold');
    expect(await reasons('alpha')).toEqual(['status-suspended', 'issuer-held']);
    expect((await good('suspend', '--end', 'alpha', ...root)).stderr).toContain('Still on hold');
    expect(await reasons('alpha')).toEqual(['issuer-held']);
    await release('alpha');
    expect(await reasons('alpha')).toEqual(['policy-met']);
  });

  it('ends without --false-alarm where the list suspends the issuer', async () => {
    record('alpha', { status: 'suspended' });
    await build(...SETTINGS);
    await good('hold', '--end', 'alpha', ...ONLINE);
    expect(await reasons('alpha')).toEqual(['status-suspended']);
  });

  it('stays with another online key, if that key may hold issuers', async () => {
    const denied = await refused(['build', ...ROOT, ...mayHold(false, 'other'), '--json']);
    expectCommandError(denied, 'ERR_USAGE', 'alpha');
    await build(...mayHold(true, 'other'));
    held();
    expect(await reasons('alpha')).toEqual(['issuer-held']);
  });

  it('stays after the checkpoint has expired', async () => {
    const online = await keyIn(at('online.pem'));
    const expired = { ...claims(), iat: seconds(-8 * 3600), exp: seconds(-7 * 3600) };
    writeFiles(at(), { 'dist/checkpoint.jwt': await statement(online, 'registry-checkpoint+jwt', expired) });
    await good('checkpoint', ...ONLINE);
    held();
    expect(claims().exp).toBeGreaterThan(seconds(3600));
  });
});
