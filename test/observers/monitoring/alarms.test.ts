import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { TrustAnchor } from '@passport-registry/verifier';
import { canonicalBytes, statementHash } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { flipped } from '../../support/altered.js';
import { entryOf, type LoggedRegistry } from '../../support/logged-registry.js';
import { loggedWorld, type MonitoredHosts, monitoredHosts, serveOn } from '../../support/monitor.js';
import { noteSigner } from '../../support/note-keys.js';
import { committedTo, issuer, publish, stated, statement, testKey } from '../../support/publication.js';
import { sha256 } from '../../support/sha256.js';
import { STATEMENT_PATHS } from '../../support/statements.js';

const WATCH = { watch: ['beta'] };
const BETA_CHANGED = 'change watched-issuer-changed entry 1';

let world: LoggedRegistry;
let monitored: MonitoredHosts;
const round: MonitoredHosts['round'] = (options) => monitored.round(options);
const serve = () => serveOn(world, monitored.hosts[0]);
const file = (path: string) => monitored.hosts[0]?.files.get(path) as Buffer;
const remove = (path: string) => monitored.hosts[0]?.files.delete(path);
const setFile = (path: string, bytes: Buffer | string) =>
  monitored.hosts[0]?.files.set(path, Buffer.from(bytes));

/** Shows what the registry is now, and returns what the monitor tells. */
async function told(options = {}): Promise<readonly string[]> {
  serve();
  return (await round(options)).told;
}

beforeEach(async () => {
  world = await loggedWorld();
  monitored = await monitoredHosts(world);
  expect(await told()).toEqual([]);
});

it.each<[string, () => unknown, string]>([
  ['no log any more', () => remove('log/checkpoint'), 'log-missing host 0'],
  ['text that is not a head', () => setFile('log/checkpoint', 'no head\n'), 'head-not-signed host 0'],
  ['bytes that are not text', () => setFile('log/checkpoint', Buffer.of(0xff)), 'head-not-signed host 0'],
  ['a head of more entries than anybody can read', showHugeHead, 'log-damaged host 0'],
  ['another list', () => setFile('issuers.json', '{}'), 'not-logged host 0 issuers.json'],
  ['a larger list', () => setFile('issuers.json', 'x'.repeat(100_000)), 'not-logged host 0 issuers.json'],
  ['a publication by the root key', showSecretPublication, 'not-logged host 0 statements.json'],
  [
    'a rotation by nobody',
    () => setFile('keys/rotation.json', '["x.y.z"]'),
    'not-logged host 0 statements.json',
  ],
  ['a malformed rotation', () => setFile('keys/rotation.json', '{'), 'not-logged host 0 statements.json'],
  ['another root key', showOtherRootKey, 'other-root-key host 0'],
  ['text in place of a root key', () => setFile('keys/root.json', 'no key'), 'other-root-key host 0'],
])('a host that shows %s raises an alarm, until it shows the log again', async (_name, show, alarm) => {
  await show();
  expect((await round()).told).toEqual([`alarm ${alarm}`]);
  expect(await told()).toEqual([]);
});

function showHugeHead(): void {
  const { key, sign } = world.log.signer;
  const text = `${key.name}\n9007199254740991\n${Buffer.alloc(32).toString('base64')}\n`;
  const id = Buffer.from(key.keyId, 'hex');
  const line = Buffer.concat([id, sign(text)]).toString('base64');
  setFile('log/checkpoint', `${text}\n\u2014 ${key.name} ${line}\n`);
}

async function showSecretPublication(): Promise<void> {
  const secret = world.fork();
  await secret.publish();
  setFile('publication.jwt', secret.files.get('publication.jwt') as Buffer);
}

async function showOtherRootKey(): Promise<void> {
  setFile('keys/root.json', JSON.stringify((await testKey()).rootKey.jwk));
}

it('a rotation step and the publication of a checkpoint, both by the root key and not in the log, raise an alarm each', async () => {
  const secret = world.fork();
  await secret.rotate(await testKey());
  setFile('keys/rotation.json', secret.files.get('keys/rotation.json') as Buffer);
  const claims = { iat: 1, exp: 2e9, publication: '0'.repeat(64), tree_sha256: '0'.repeat(64) };
  setFile('checkpoint.jwt', await statement(world.root, 'registry-checkpoint+jwt', claims));
  const { told, report } = await round();
  expect(told).toEqual(Array.from({ length: 2 }, () => 'alarm not-logged host 0 statements.json'));
  const messages = report.findings.map(({ message }) => message).join();
  expect(messages).toMatch(/rotation step 1 that is not in the log/);
  expect(messages).toMatch(/checkpoint/);
});

describe('a log', () => {
  it.each<[string, () => Promise<unknown>, string]>([
    ['has a head by another key', () => sealAs(world.log.origin), 'head-not-signed host 0'],
    ['has a head of another log', () => sealAs('other.example/log'), 'head-not-signed host 0'],
    [
      'has a statement of another number of issuers',
      () => world.publish({ claims: { issuers: 3 } }),
      'list-invalid entry 1',
    ],
    [
      'has a statement of another tree of sums',
      () => world.publish({ claims: { sums_sha256: '0'.repeat(64) } }),
      'list-invalid entry 1',
    ],
    [
      'has a statement of more levels than the tree of sums can have',
      () => world.publish({ claims: { levels: 3 } }),
      'list-invalid entry 1',
    ],
    ['has a list that is not a list', logNoList, 'list-invalid entry 1'],
  ])('that %s raises an alarm', async (_name, act, alarm) => {
    await act();
    expect(await told()).toEqual([`alarm ${alarm}`]);
  });

  async function sealAs(origin: string): Promise<void> {
    world.log.signer = noteSigner(origin, 'log');
    await world.seal();
  }

  async function logNoList(): Promise<void> {
    const list = canonicalBytes({
      issuers: [issuer('alpha', { tier: 'other' as never })],
      updated_at: '2026-11-30T00:00:00Z',
    });
    const files = new Map([...publish(world.root, []), ['issuers.json', Buffer.from(list)]]);
    const previous = [statementHash(String(world.files.get('log/statements/0.jwt')))];
    const log = { origin: world.log.origin, vkey: world.log.vkey };
    const invalid = stated(files, world.root, { sequence: 2, previous, log });
    world.files.set(`lists/${sha256(list)}.json`, Buffer.from(list));
    await world.append(entryOf(invalid), String(invalid.get('publication.jwt')));
  }

  const other = noteSigner('other.example/log', 'log');
  it.each<[string, object]>([
    ['has the sequence of the one before', { sequence: 1 }],
    ['follows another one', { previous: ['0'.repeat(64)] }],
    ['names no log', { log: undefined }],
    ['names another log', { log: { origin: other.key.name, vkey: other.vkey } }],
  ])('with a publication that %s raises an alarm', async (_name, claims) => {
    await world.publish({ claims: claims as never });
    expect(await told()).toContain('alarm statement-out-of-order entry 1');
  });

  it('that has shrunk raises an alarm each time, until it is whole again', async () => {
    const before = world.fork();
    await world.publish();
    expect(await told()).toEqual([]);
    serveOn(before, monitored.hosts[0]);
    for (let repeated = 0; repeated < 2; repeated++) {
      const { told, report } = await round();
      expect(told).toEqual(['alarm log-shrunk host 0']);
      expect(report.findings[0]?.message).toMatch(/ 1 entries, .* 2 entries/);
    }
    expect(await told()).toEqual([]);
  });

  it.each(['log/tile/entries/000.p/2', 'log/tile/0/000.p/2'])(
    'whose file %s is damaged or missing raises an alarm, and the next round reads it again',
    async (path) => {
      await world.change('beta', { status: 'suspended' }).publish();
      serve();
      setFile(path, flipped(file(path), 80));
      expect((await round(WATCH)).told).toContain('alarm log-damaged host 0');
      remove(path);
      expect((await round(WATCH)).told).toContain('alarm log-damaged host 0');
      expect(await told(WATCH)).toEqual([BETA_CHANGED]);
    },
  );

  it('that names another key, but has a head by the earlier one, raises an alarm', async () => {
    const next = noteSigner(world.log.origin, 'log');
    await world.publish({ claims: { log: { origin: next.key.name, vkey: next.vkey } } });
    expect(await told()).toContain('alarm head-not-signed host 0');
  });

  it('that has a head by a key that no longer signs heads of its size raises an alarm', async () => {
    await world.publish({ signer: noteSigner(world.log.origin, 'log') });
    expect(await told()).toEqual([]);
    await world.seal();
    expect(await told()).toEqual(['alarm head-not-signed host 0']);
  });

  it('goes on after a statement that the root key has not signed', async () => {
    const { root } = world;
    world.root = await testKey();
    await world.publish();
    world.root = root;
    await world.change('beta', { status: 'suspended' }).publish();
    expect(await told(WATCH)).toEqual([
      'alarm entry-not-signed entry 1',
      'change watched-issuer-changed entry 2',
    ]);
  });

  it('whose statement is missing raises an alarm, and is read again until the statement is there', async () => {
    await world.change('beta', { status: 'suspended' }).publish();
    const jwt = world.files.get('log/statements/1.jwt') as Buffer;
    for (const bytes of [undefined, Buffer.from('x'), Buffer.concat([Buffer.from('\n'), jwt])]) {
      if (bytes === undefined) world.files.delete('log/statements/1.jwt');
      else world.files.set('log/statements/1.jwt', bytes);
      expect(await told(WATCH)).toContain('alarm statement-missing entry 1');
    }
    world.files.set('log/statements/1.jwt', jwt);
    expect(await told(WATCH)).toEqual([BETA_CHANGED]);
  });

  it('whose list is missing raises an alarm, and is read again until the list is there', async () => {
    await world.change('beta', { status: 'suspended' }).prepare();
    const [path = ''] = [...world.files.keys()].filter((name) => name.startsWith('lists/')).slice(-1);
    const list = world.files.get(path) as Buffer;
    for (const bytes of [undefined, Buffer.from('{}'), Buffer.alloc(100_000)]) {
      if (bytes === undefined) world.files.delete(path);
      else world.files.set(path, bytes);
      expect(await told(WATCH)).toContain('alarm list-missing entry 1');
    }
    world.files.set(path, list);
    expect(await told(WATCH)).toEqual([BETA_CHANGED]);
  });

  it('is not read again for a list that was replaced long ago', async () => {
    for (let number = 0; number < 5; number++) {
      await world.change('beta', { status: number % 2 === 0 ? 'suspended' : 'active' }).publish();
      if (number === 0) world.files.delete(`lists/${sha256(world.files.get('issuers.json') as Buffer)}.json`);
    }
    expect(await told(WATCH)).toEqual([
      'alarm list-missing entry 1',
      ...[3, 4, 5].map((entry) => `change watched-issuer-changed entry ${entry}`),
    ]);
    expect(await told()).toEqual([]);
  });

  it('with a change that no registry may make raises an alarm, once', async () => {
    await world.change('beta', { status: 'revoked' }).publish();
    expect(await told()).toEqual([]);
    await world.change('beta', { status: 'active' }).publish();
    serve();
    const { told: codes, report } = await round();
    expect(codes).toEqual(['alarm forbidden-change entry 2']);
    expect(report.findings[0]).toMatchObject({ rule: 'revoked-is-final', issuer_id: 'beta' });
    expect(await told()).toEqual([]);
  });
});

describe('a rotation step to a key to which the root key is not committed', () => {
  const anchorWith = (next_roots: readonly string[]): TrustAnchor => ({
    root: world.root.rootKey.jwk,
    next_roots: [...next_roots],
  });
  const notCommitted = async (anchor?: TrustAnchor) => {
    serve();
    const { report } = await round(anchor && { anchor });
    const found = report.findings.find(({ code }) => code === 'entry-not-signed');
    expect(found?.message).toContain('may be followed only by');
  };

  it('raises an alarm, if the trust anchor commits it, also one that is newer than the state', async () => {
    const [honest, thief] = [await testKey(), await testKey()];
    const anchor = anchorWith([honest.rootKey.thumbprint]);
    await world.rotate(thief);
    await world.publish();
    await notCommitted(anchor);
  });

  it('raises an alarm, if an earlier step commits it, also after a restart', async () => {
    const [second, third, thief] = [await testKey(), await testKey(), await testKey()];
    await world.rotate(second, committedTo(third));
    await world.publish();
    expect(await told()).toEqual([]);
    const honest = world.fork();
    await world.rotate(thief);
    await world.publish();
    await notCommitted();
    world = honest;
    await world.rotate(third);
    await world.publish();
    rmSync(join(monitored.folder, 'state'), { recursive: true });
    expect(await told()).toEqual([]);
  });

  it('is refused, if the state has followed it already', async () => {
    const anchor = anchorWith(['A'.repeat(43)]);
    await world.rotate(await testKey());
    await world.publish();
    expect(await told()).toEqual([]);
    await expect(round({ anchor })).rejects.toThrow('is not in next_roots');
  });
});

describe('a host that is behind the log', () => {
  const days = (count: number) => count * 24 * 3_600_000;
  const secondsAgo = (ms: number) => Math.floor((Date.now() - ms) / 1000);

  it('raises an alarm when it has been there for a while, and none while it is switched', async () => {
    await world.change('beta', { status: 'suspended' }).prepare({ claims: { iat: secondsAgo(days(29)) } });
    serve();
    const first = await round(WATCH);
    expect(first.told).toEqual([BETA_CHANGED]);
    expect(first.report.findings[0]).toMatchObject({
      message: expect.stringMatching(/, by publication 2$/),
    });
    expect((await round()).told).toEqual([]);
    const state = join(monitored.folder, 'state/state.json');
    const saved = JSON.parse(readFileSync(state, 'utf8'));
    const [[url = '', { index, since }]] = Object.entries(saved.behind) as [
      [string, { index: number; since: number }],
    ];
    expect([url, index]).toEqual([monitored.hosts[0]?.base, 0]);
    writeFileSync(state, JSON.stringify({ ...saved, behind: { [url]: { index, since: since - days(1) } } }));
    const late = await round();
    expect(late.told).toEqual(['alarm host-behind host 0']);
    expect(late.report.findings[0]?.message).toMatch(/^publication 2 .* publication 1 /);
    expect((await round({ maxBehindMs: days(1) + 3_600_000 })).told).toEqual([]);
    await world.complete();
    expect(await told()).toEqual([]);
    expect(JSON.parse(readFileSync(state, 'utf8')).behind).toEqual({});
  });

  it.each(['publication.jwt', 'issuers.json'])('raises an alarm if only %s is old', async (path) => {
    const [old, proof] = [file(path), file('log/publication.tlog-proof')];
    const checkpoint = file('checkpoint.jwt');
    await world.change('gamma').publish({ claims: { iat: secondsAgo(days(1) + 60_000) } });
    const { firstRound, hosts } = await monitoredHosts(world, 2);
    hosts[1]?.files.set(path, old);
    if (path === 'publication.jwt') {
      hosts[1]?.files.set('log/publication.tlog-proof', proof);
      hosts[1]?.files.set('checkpoint.jwt', checkpoint);
    }
    // Without an earlier round, the time of the statement decides.
    expect((await firstRound()).told).toEqual(['alarm host-behind host 1']);
    expect((await firstRound({ maxBehindMs: days(1) + 3_600_000 })).told).toEqual([]);
    const gone = path === 'publication.jwt' ? Object.values(STATEMENT_PATHS) : [path];
    for (const one of gone) hosts[1]?.files.delete(one);
    expect((await firstRound({ maxBehindMs: days(0.5) })).told).toEqual(['alarm host-behind host 1']);
  });
});
