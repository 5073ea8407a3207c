import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { canonicalBytes, statementHash } from '@passport-registry/verifier/core';
import { beforeEach, describe, expect, it } from 'vitest';
import { entryOf, type LoggedRegistry } from '../../support/logged-registry.js';
import { loggedWorld, type MonitoredHosts, monitoredHosts, serveOn } from '../../support/monitor.js';
import { noteSigner } from '../../support/note-keys.js';
import { committedTo, issuer, publish, stated, statement, testKey } from '../../support/publication.js';
import { sha256 } from '../../support/sha256.js';
import { STATEMENT_PATHS } from '../../support/statements.js';
import { writeFiles } from '../../support/workspace.js';

const STATE = ['--state', 'state'];

let world: LoggedRegistry;
let monitored: MonitoredHosts;
const monitor = (...args: string[]) => monitored.monitor(...STATE, ...args);
const file = (path: string) => monitored.hosts[0]?.files.get(path) as Buffer;
const setFile = (path: string, bytes: Buffer | string) =>
  monitored.hosts[0]?.files.set(path, Buffer.from(bytes));

/** Shows what the registry is now, and returns what the monitor tells. */
async function told(...args: string[]): Promise<readonly string[]> {
  serveOn(world, monitored.hosts[0]);
  const { code, told } = await monitor(...args);
  expect(code).toBe(1);
  return told;
}

/** Shows what the registry is now, which the monitor finds in order. */
async function accepted(): Promise<void> {
  serveOn(world, monitored.hosts[0]);
  expect((await monitor()).code).toBe(0);
}

beforeEach(async () => {
  world = await loggedWorld();
  monitored = await monitoredHosts(world);
  await accepted();
});

describe('a log that', () => {
  it('is gone raises an alarm', async () => {
    monitored.hosts[0]?.files.delete('log/checkpoint');
    const { code, told, report } = await monitor();
    expect([code, told, report.log?.size]).toEqual([1, ['log-missing 0'], 1]);
  });

  it('has shrunk raises an alarm each time, until it is whole again', async () => {
    const before = world.fork();
    await world.publish();
    await accepted();
    serveOn(before, monitored.hosts[0]);
    for (let round = 0; round < 2; round++) {
      const { code, told, report } = await monitor();
      expect([code, told]).toEqual([1, ['log-shrunk 0']]);
      expect(report.findings[0]?.message).toMatch(/ 1 entries, .* 2 entries/);
    }
    await accepted();
  });

  it('is damaged raises an alarm, and the next round reads it again', async () => {
    await world.change('beta', { status: 'suspended' }).publish();
    for (const path of ['log/tile/entries/000.p/2', 'log/tile/0/000.p/2']) {
      serveOn(world, monitored.hosts[0]);
      const bytes = Buffer.from(file(path));
      bytes[10] = (bytes[10] ?? 0) ^ 1;
      setFile(path, bytes);
      expect((await monitor('beta')).told).toContain('log-damaged 0');
      monitored.hosts[0]?.files.delete(path);
      expect((await monitor('beta')).told).toContain('log-damaged 0');
    }
    serveOn(world, monitored.hosts[0]);
    expect((await monitor('beta')).told).toEqual(['watched-issuer-changed']);
  });

  it('has a head by another key raises an alarm', async () => {
    world.log.signer = noteSigner(world.log.origin, 'log');
    await world.seal();
    expect(await told()).toContain('head-not-signed 0');
    world.log.signer = noteSigner('other.example/log', 'log');
    await world.seal();
    expect(await told()).toContain('head-not-signed 0');
    setFile('log/checkpoint', 'no head\n');
    expect((await monitor()).told).toContain('head-not-signed 0');
    setFile('log/checkpoint', Buffer.of(0xff, 0xfe));
    expect((await monitor()).told).toContain('head-not-signed 0');
  });

  it('names another key, but has a head by the earlier one, raises an alarm', async () => {
    const next = noteSigner(world.log.origin, 'log');
    await world.publish({ claims: { log: { origin: next.key.name, vkey: next.vkey } } });
    expect(await told()).toContain('head-not-signed 0');
  });

  it('has a head by a key that no longer signs heads of its size raises an alarm', async () => {
    await world.publish({ signer: noteSigner(world.log.origin, 'log') });
    serveOn(world, monitored.hosts[0]);
    expect((await monitor()).told).toEqual([]);
    await world.seal();
    expect(await told()).toContain('head-not-signed 0');
  });

  it('claims more entries than anybody can read raises an alarm', async () => {
    const { key, sign } = world.log.signer;
    const text = `${key.name}\n9007199254740991\n${Buffer.alloc(32).toString('base64')}\n`;
    const id = Buffer.from(key.keyId, 'hex');
    const line = Buffer.concat([id, sign(text)]).toString('base64');
    setFile('log/checkpoint', `${text}\n\u2014 ${key.name} ${line}\n`);
    expect((await monitor()).told).toEqual(['log-damaged 0']);
  });
});

describe('an entry', () => {
  it('whose statement the root key has not signed raises an alarm', async () => {
    const root = world.root;
    world.root = await testKey();
    await world.publish();
    world.root = root;
    await world.change('beta', { status: 'suspended' }).publish();
    expect(await told('beta')).toEqual(['entry-not-signed', 'watched-issuer-changed']);
  });

  it('whose statement is missing raises an alarm, and is read again until the statement is there', async () => {
    await world.change('beta', { status: 'suspended' }).publish();
    const jwt = world.files.get('log/statements/1.jwt') as Buffer;
    for (const bytes of [undefined, Buffer.from('x'), Buffer.concat([Buffer.from('\n'), jwt])]) {
      if (bytes === undefined) world.files.delete('log/statements/1.jwt');
      else world.files.set('log/statements/1.jwt', bytes);
      expect(await told('beta')).toContain('statement-missing');
    }
    world.files.set('log/statements/1.jwt', jwt);
    serveOn(world, monitored.hosts[0]);
    expect((await monitor('beta')).told).toEqual(['watched-issuer-changed']);
  });
});

describe('a publication that', () => {
  const other = noteSigner('other.example/log', 'log');
  it.each<[string, object]>([
    ['has the sequence of the one before', { sequence: 1 }],
    ['follows another one', { previous: ['0'.repeat(64)] }],
    ['names no log', { log: undefined }],
    ['names another log', { log: { origin: other.key.name, vkey: other.vkey } }],
  ])('%s raises an alarm', async (_name, claims) => {
    await world.publish({ claims: claims as never });
    expect(await told()).toContain('statement-out-of-order');
  });
});

describe('a rotation step to a key to which the root key is not committed', () => {
  const notCommitted = async (...args: string[]) => {
    serveOn(world, monitored.hosts[0]);
    const { told: codes, report } = await monitor(...args);
    expect(codes).toContain('entry-not-signed');
    const { message } = report.findings.find(({ code }) => code === 'entry-not-signed') ?? {};
    expect(message).toContain('may be followed only by');
  };

  it('raises an alarm, if the trust anchor commits it, also one that is newer than the state', async () => {
    const [honest, thief] = [await testKey(), await testKey()];
    const next_roots = [honest.rootKey.thumbprint];
    writeFiles(monitored.folder, {
      'anchor.json': JSON.stringify({ root: world.root.rootKey.jwk, next_roots }),
    });
    await world.rotate(thief);
    await world.publish();
    await notCommitted();
  });

  it('raises an alarm, if an earlier step commits it, also after a restart', async () => {
    const [second, third, thief] = [await testKey(), await testKey(), await testKey()];
    await world.rotate(second, committedTo(third));
    await world.publish();
    await accepted();
    const honest = world.fork();
    await world.rotate(thief);
    await world.publish();
    await notCommitted();
    world = honest;
    await world.rotate(third);
    await world.publish();
    rmSync(join(monitored.folder, 'state'), { recursive: true });
    await accepted();
  });

  it('is refused, if the state has followed it already', async () => {
    const { jwk } = world.root.rootKey;
    await world.rotate(await testKey());
    await world.publish();
    await accepted();
    const next_roots = ['A'.repeat(43)];
    writeFiles(monitored.folder, { 'anchor.json': JSON.stringify({ root: jwk, next_roots }) });
    const { code, report } = await monitor();
    expect([code, JSON.stringify(report)]).toEqual([2, expect.stringContaining('is not in next_roots')]);
  });
});

describe('a list', () => {
  it('that is missing raises an alarm, and is read again until it is there', async () => {
    await world.change('beta', { status: 'suspended' }).prepare();
    const [path = ''] = [...world.files.keys()].filter((name) => name.startsWith('lists/')).slice(-1);
    const list = world.files.get(path) as Buffer;
    for (const bytes of [undefined, Buffer.from('{}'), Buffer.alloc(100_000)]) {
      if (bytes === undefined) world.files.delete(path);
      else world.files.set(path, bytes);
      expect(await told('beta')).toContain('list-missing');
    }
    world.files.set(path, list);
    serveOn(world, monitored.hosts[0]);
    expect((await monitor('beta')).told).toEqual(['watched-issuer-changed']);
  });

  it('that was replaced long ago is not read again', async () => {
    for (let number = 0; number < 5; number++) {
      await world.change('beta', { status: number % 2 === 0 ? 'suspended' : 'active' }).publish();
      if (number === 0) world.files.delete(`lists/${sha256(world.files.get('issuers.json') as Buffer)}.json`);
    }
    expect(await told('beta')).toEqual([
      'list-missing',
      ...Array.from({ length: 3 }, () => 'watched-issuer-changed'),
    ]);
    expect((await monitor()).told).toEqual([]);
  });

  it.each<[string, object]>([
    ['has another number of issuers', { issuers: 3 }],
    ['has another tree of sums', { sums_sha256: '0'.repeat(64) }],
    ['has levels that it must not have', { levels: 3 }],
  ])('of which the statement says that it %s raises an alarm', async (_name, claims) => {
    await world.publish({ claims: claims as never });
    expect(await told()).toContain('list-invalid');
  });

  it('that is not a list raises an alarm', async () => {
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
    expect(await told()).toEqual(['list-invalid']);
  });
});

it('a change that no registry may make raises an alarm, once', async () => {
  await world.change('beta', { status: 'revoked' }).publish();
  await accepted();
  await world.change('beta', { status: 'active' }).publish();
  serveOn(world, monitored.hosts[0]);
  const { told, report } = await monitor();
  expect(told).toEqual(['forbidden-change']);
  expect(report.findings[0]).toMatchObject({ rule: 'revoked-is-final', entry: 2, issuer_id: 'beta' });
  expect((await monitor()).told).toEqual([]);
});

describe('what is published, but not in the log,', () => {
  it('raises an alarm: a statement', async () => {
    const secret = world.fork();
    await secret.publish();
    setFile('publication.jwt', secret.files.get('publication.jwt') as Buffer);
    const { told, report } = await monitor();
    expect(told).toEqual(['not-logged 0']);
    expect(report.findings[0]).toMatchObject({ file: 'statements.json' });
  });

  it.each([
    ['issuers.json', '{}'],
    ['issuers.json', 'x'.repeat(100_000)],
    ['keys/rotation.json', '["x.y.z"]'],
    ['keys/rotation.json', '{'],
  ])('raises an alarm: %s', async (path, content) => {
    setFile(path, content);
    const { told, report } = await monitor();
    expect(told).toEqual(['not-logged 0']);
    expect(report.findings[0]).toMatchObject({ file: path === 'issuers.json' ? path : 'statements.json' });
    await accepted();
  });

  it('raises an alarm: a rotation step, and the publication of a checkpoint, by the root key', async () => {
    const secret = world.fork();
    await secret.rotate(await testKey());
    setFile('keys/rotation.json', secret.files.get('keys/rotation.json') as Buffer);
    const claims = { iat: 1, exp: 2e9, publication: '0'.repeat(64), tree_sha256: '0'.repeat(64) };
    setFile('checkpoint.jwt', await statement(world.root, 'registry-checkpoint+jwt', claims));
    const { told, report } = await monitor();
    expect(told).toEqual(['not-logged 0', 'not-logged 0']);
    expect(report.findings.map((found) => found['file'])).toEqual(['statements.json', 'statements.json']);
    const messages = report.findings.map(({ message }) => message).join();
    expect(messages).toMatch(/rotation step 1 that is not in the log/);
    expect(messages).toMatch(/checkpoint/);
  });

  it('raises an alarm: a root key', async () => {
    setFile('keys/root.json', JSON.stringify((await testKey()).rootKey.jwk));
    expect((await monitor()).told).toEqual(['other-root-key 0']);
    setFile('keys/root.json', 'no key');
    expect((await monitor()).told).toEqual(['other-root-key 0']);
  });
});

describe('a host that is behind the log', () => {
  const days = (count: number) => count * 24 * 3_600_000;
  const secondsAgo = (ms: number) => Math.floor((Date.now() - ms) / 1000);

  it('raises an alarm when it has been there for a while, and none while it is switched', async () => {
    await world.change('beta', { status: 'suspended' }).prepare({ claims: { iat: secondsAgo(days(29)) } });
    serveOn(world, monitored.hosts[0]);
    const first = await monitor('beta');
    expect([first.code, first.told]).toEqual([5, ['watched-issuer-changed']]);
    expect(first.report.findings[0]).toMatchObject({
      message: expect.stringMatching(/, by publication 2$/),
    });
    expect((await monitor()).code).toBe(0);
    const state = join(monitored.folder, 'state/state.json');
    const saved = JSON.parse(readFileSync(state, 'utf8'));
    const [[url = '', { index, since }]] = Object.entries(saved.behind) as [
      [string, { index: number; since: number }],
    ];
    expect([url, index]).toEqual([monitored.hosts[0]?.base, 0]);
    writeFileSync(state, JSON.stringify({ ...saved, behind: { [url]: { index, since: since - days(1) } } }));
    const { told, report } = await monitor();
    expect(told).toEqual(['host-behind 0']);
    expect(report.findings[0]?.message).toMatch(/^publication 2 .* publication 1 /);
    expect((await monitor('--max-behind', '99999')).code).toBe(0);
    await world.complete();
    await accepted();
    expect(JSON.parse(readFileSync(state, 'utf8')).behind).toEqual({});
  });

  it.each(['publication.jwt', 'issuers.json'])('raises an alarm if only %s is old', async (path) => {
    const [old, proof] = [file(path), file('log/publication.tlog-proof')];
    const checkpoint = file('checkpoint.jwt');
    await world.change('gamma').publish({ claims: { iat: secondsAgo(days(1) + 60_000) } });
    const { monitor, hosts } = await monitoredHosts(world, 2);
    hosts[1]?.files.set(path, old);
    if (path === 'publication.jwt') {
      hosts[1]?.files.set('log/publication.tlog-proof', proof);
      hosts[1]?.files.set('checkpoint.jwt', checkpoint);
    }
    // Without an earlier round, the time of the statement decides.
    expect((await monitor()).told).toEqual(['host-behind 1']);
    expect((await monitor('--max-behind', '90000')).told).toEqual([]);
    const gone = path === 'publication.jwt' ? Object.values(STATEMENT_PATHS) : [path];
    for (const one of gone) hosts[1]?.files.delete(one);
    expect((await monitor('--max-behind', '43200')).told).toEqual(['host-behind 1']);
  });
});
