import { readdirSync, readFileSync } from 'node:fs';
import type { RootJwk } from '@passport-registry/verifier';
import { decodeProtectedHeader } from 'jose';
import { describe, expect, it } from 'vitest';
import { type ErrorCode, expectCommandError } from '../../support/expect-command-error.js';
import { operatorInCopies } from '../../support/operator.js';
import { withKeys } from '../../support/settings.js';
import { cli, clockAhead, filesOf, keyedWorkspace, writeFiles } from '../../support/workspace.js';

const operator = operatorInCopies(() => keyedWorkspace(['alpha', 'beta'], 'online', 'stranger', 'next'));
const { at, dist, text, claims, good, record, refused } = operator;

const BUILD = ['build', '--key', 'key.pem', '--production'];
const ONLINE = withKeys({ checkpoint: 'online.pem' });
const CHECKPOINT = ['checkpoint', '--online-key', 'online.pem'];

const build = (...more: string[]) => good(...BUILD, ...more);
const files = () => filesOf(dist());
/** Runs a command some hours from now. */
const later = (hours: number, ...args: readonly string[]) => cli(args, at(), clockAhead(hours * 60));
const kidOf = (name: string) => (JSON.parse(readFileSync(at(`${name}.json`), 'utf8')) as RootJwk).kid;
const settings = (checkpoint: object) => ['--config', JSON.stringify({ checkpoint })];

/** Something to publish. */
let changes = 0;
const change = () => record('alpha', { policy_uri: `https://alpha.internal/${changes++}` });

describe('a build without a key for the checkpoint', () => {
  it('is refused before anything is signed, and the root key can sign it instead', async () => {
    await build(...ONLINE);
    record('alpha', { status: 'suspended' });
    const away = { signer: { key: 'away.pem' }, public_key: 'online.json' };
    writeFiles(at(), { 'registry.yaml': JSON.stringify({ checkpoint: away }) });
    expectCommandError(await refused([...BUILD, '--json']), 'ERR_KEY_REJECTED', '--checkpoint-by-root');
    await build('--checkpoint-by-root');
    const { online } = claims('publication') as { online: { keys: RootJwk[] } };
    // The online key stays named: it signs the next checkpoint.
    expect(online.keys.map(({ kid }) => kid)).toEqual([kidOf('online')]);
    expect(decodeProtectedHeader(text('checkpoint.jwt')).kid).toBe(kidOf('key'));
    await good('verify', 'dist', '--trust-anchor', 'key.json');
    await good(...CHECKPOINT);
    expect(decodeProtectedHeader(text('checkpoint.jwt')).kid).toBe(kidOf('online'));
  });
});

describe('a registry with checkpoints', () => {
  it('keeps its checkpoint if nothing changes, unless it expires soon', async () => {
    await build(...ONLINE);
    const before = files();
    for (const hours of [0, 17]) {
      expect((await later(hours, ...BUILD, ...ONLINE)).code).toBe(0);
      expect(files()).toEqual(before);
    }
    expect((await later(19, ...BUILD, ...ONLINE)).code).toBe(0);
    expect(text('publication.jwt')).toBe(String(before.get('publication.jwt')));
    expect(text('checkpoint.jwt')).not.toBe(String(before.get('checkpoint.jwt')));
  });

  it('changes only that by a checkpoint and by a hold', async () => {
    await build(...ONLINE);
    const commands = [CHECKPOINT, ['hold', 'alpha', ...CHECKPOINT.slice(1)], CHECKPOINT];
    for (const [hours, args] of commands.entries()) {
      const before = files();
      expect((await later(hours + 1, ...args)).code).toBe(0);
      expect([...files().keys()]).toEqual([...before.keys()]);
      const changed = [...files()].filter(([path, bytes]) => !before.get(path)?.equals(bytes));
      expect(changed.map(([path]) => path)).toEqual(['checkpoint.jwt']);
    }
  });

  it('keeps this list and the two before it', async () => {
    const lists = () => readdirSync(dist('lists')).sort();
    await build(...ONLINE);
    const [first] = lists();
    for (let round = 0; round < 4; round++) {
      change();
      await build(...ONLINE);
    }
    expect(lists()).toHaveLength(3);
    expect(lists()).not.toContain(first);
    await good('verify', 'dist');
  });

  it('has its online key for a time, which a build prolongs in the last third of it', async () => {
    const DAY = 24;
    const days = settings({ signer: { key: 'online.pem' }, days_online: 30 });
    await build(...days);
    const first = text('publication.jwt');
    expect((await later(19 * DAY, ...BUILD, ...days)).code).toBe(0);
    expect(text('publication.jwt')).toBe(first);
    // The list is the same, but not the statement.
    const list = text('issuers.json');
    expect((await later(21 * DAY, ...BUILD, ...days)).code).toBe(0);
    expect([text('publication.jwt') === first, text('issuers.json')]).toEqual([false, list]);
    const before = files();
    expect((await later(52 * DAY, 'checkpoint', ...days)).code).toBe(3);
    expect(files()).toEqual(before);
    for (const args of [
      [...BUILD, ...days],
      ['verify', 'dist'],
      ['checkpoint', ...days],
    ])
      expect([args, (await later(52 * DAY, ...args)).code]).toEqual([args, 0]);
  });

  it('has a checkpoint for at most 31 days', async () => {
    const forHours = (hours: number) => settings({ signer: { key: 'key.pem' }, hours });
    await build(...forHours(744));
    const { iat = 0, exp = 0 } = claims('checkpoint');
    expect(exp - iat).toBe(744 * 3600);
    expect((await good('verify', 'dist')).stdout).not.toContain('WARNING');
    change();
    await refused(['build', '--key', 'key.pem', ...forHours(745)], 2);
  });

  it('is good under `verify` until its checkpoint expires, with a warning in the last quarter of its time', async () => {
    await build(...ONLINE);
    for (const [hours, failures, warnings] of [
      [17, [], 0],
      [20, [], 1],
      [25, ['freshness'], 0],
    ] as const) {
      const { code, stdout } = await later(hours, 'verify', 'dist', '--json');
      const report = JSON.parse(stdout);
      const failed = report.checks.filter(({ result }: { result: string }) => result === 'failed');
      expect(failed.map(({ name }: { name: string }) => name)).toEqual(failures);
      expect([hours, code, report.warnings.length]).toEqual([hours, failures.length, warnings]);
    }
  });

  const DIFFERS = settings({ signer: { key: 'stranger.pem' }, public_key: 'online.json' });
  const LOG = withKeys({ log: 'online.pem', origin: 'log.example/log' });
  it.each<[string, readonly string[], ErrorCode, string]>([
    [
      'a key that the publication does not name',
      ['checkpoint', '--online-key', 'stranger.pem'],
      'ERR_KEY_REJECTED',
      'the publication names',
    ],
    [
      'a key that is not there',
      ['checkpoint', '--online-key', 'none.pem'],
      'ERR_KEY_REJECTED',
      'none.pem does not exist',
    ],
    ['a folder that is no tree', ['checkpoint', 'issuers', ...CHECKPOINT.slice(1)], 'ERR_USAGE', 'issuers'],
    ['the key of another setting', [...BUILD, ...DIFFERS], 'ERR_KEY_REJECTED', 'checkpoint.signer'],
    ['an online key that is the log key', [...BUILD, ...ONLINE, ...LOG], 'ERR_KEY_REJECTED', 'of the log'],
  ])('refuses %s, and stays as it was', async (_name, args, code, fact) => {
    await build(...ONLINE);
    change();
    const outcome = await refused([...args, '--json']);
    expectCommandError(outcome, code, fact);
    // The page about leaked keys is for a key that is not the named one.
    expect(outcome.stderr.includes('the-online-key-has-leaked')).toBe(fact === 'the publication names');
  });

  it('does not let a replaced root key be an online key', async () => {
    await build(...ONLINE);
    await good('keys', 'rotate', '--yes', '--key', 'key.pem', '--next-key', 'next.pem', ...ONLINE);
    await refused(['build', '--key', 'next.pem', ...withKeys({ checkpoint: 'key.pem' })], 3);
  });
});
