import { type ChildProcess, spawn } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { memoryReplayStore, type ReplayStore } from '@passport-registry/passports';
import { redisReplayStore } from '@passport-registry/passports/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import {
  agentKeys,
  issuerKey,
  issuerWorld,
  passportOf,
  requestOf,
  verifierOf,
} from '../../support/passport-world.js';
import { freePort } from '../../support/serving.js';
import { temporaryFolder } from '../../support/workspace.js';

const GATEWAY = fileURLToPath(new URL('../../support/gateway.mjs', import.meta.url));

describe('a replay store in memory', () => {
  it('takes a key once until it expires', async () => {
    let time = 0;
    const store = memoryReplayStore({ now: () => time });
    expect(await store.claim('a', 1000)).toBe(true);
    expect(await store.claim('b', 1000)).toBe(true);
    time = 999;
    expect(await store.claim('a', 1000)).toBe(false);
    time = 1000;
    expect(await store.claim('a', 1000)).toBe(true);
  });

  it.each([0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '3', null])(
    'refuses %j as its maxEntries',
    (maxEntries) => {
      expect(() => memoryReplayStore({ maxEntries } as never)).toThrow(
        expect.objectContaining({ code: 'ERR_OPTIONS_INVALID', option: 'maxEntries' }),
      );
    },
  );

  it('rejects when it is full, and takes more once it has forgotten what has expired', async () => {
    let time = 0;
    const store = memoryReplayStore({ maxEntries: 3, now: () => time });
    for (const key of ['a', 'b', 'c']) expect(await store.claim(key, 1000)).toBe(true);
    await expect(store.claim('d', 1000)).rejects.toThrow('full');
    expect(await store.claim('a', 1000)).toBe(false);
    time = 11_000;
    expect(await store.claim('d', 1000)).toBe(true);
  });
});

describeWith(['redis-server'], 'a replay store in Redis', () => {
  let server: ChildProcess;
  let port: number;
  const clients: { destroy(): void }[] = [];

  beforeAll(async () => {
    port = await freePort();
    const folder = temporaryFolder();
    const args = ['--port', String(port), '--bind', '127.0.0.1', '--save', '', '--dir', folder];
    server = spawn('redis-server', args, { stdio: 'ignore' });
  });

  afterAll(() => {
    for (const client of clients) client.destroy();
    server.kill();
  });

  async function connected() {
    const client = createClient({ url: `redis://127.0.0.1:${port}` });
    client.on('error', () => undefined);
    clients.push(client);
    await client.connect();
    return client;
  }

  it('takes a key once until it expires, whichever client asks', async () => {
    const stores: ReplayStore[] = [redisReplayStore(await connected()), redisReplayStore(await connected())];
    const answers = await Promise.all(
      Array.from({ length: 100 }, (_one, index) => (stores[index % 2] as ReplayStore).claim('a', 2_000)),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    await expect.poll(() => stores[1]?.claim('a', 2_000)).toBe(true);
  });

  it('takes a key again from the request that was first, and from no other', async () => {
    const [one, other] = [redisReplayStore(await connected()), redisReplayStore(await connected())];
    expect(await one.claim('same', 90_000, 'a')).toBe(true);
    expect(await other.claim('same', 90_000, 'a')).toBe(true);
    expect(await other.claim('same', 90_000, 'b')).toBe(false);
    expect(await other.claim('same', 90_000)).toBe(false);
    expect(await one.claim('old', 90_000, 'a')).toBe(true);
    // As if ten seconds had gone by.
    await (await connected()).pExpire('passport-replay:old', 79_000);
    expect(await one.claim('old', 90_000, 'a')).toBe(false);
  });

  it('keeps its keys apart by their prefix, and forgets them by itself', async () => {
    const client = await connected();
    const store = redisReplayStore(client, { prefix: 'mail:' });
    expect(await store.claim('k', 90_000)).toBe(true);
    const left = await client.pTTL('mail:k');
    expect(left).toBeGreaterThan(80_000);
    expect(left).toBeLessThanOrEqual(90_000);
  });

  it('makes two gateways that get the same action let it through once', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const passport = await passportOf(world, await agentKeys());
    const requests = await Promise.all(Array.from({ length: 50 }, () => requestOf(world, passport)));
    const { record, address, url } = world;
    // One begins at the end, so that both are first for some.
    const input = (backwards: boolean) => JSON.stringify({ port, record, address, url, requests, backwards });
    const outputs = await Promise.all([gateway(input(false)), gateway(input(true))]);
    const codes = outputs.map((output) => JSON.parse(output) as string[]);
    requests.forEach((_request, index) => {
      expect(codes.map((one) => one[index]).sort()).toEqual(['action-replayed', 'verified']);
    });
    expect(codes.every((one) => one.includes('verified'))).toBe(true);
  });

  /** A verifier in a process of its own: it gives what came of each request. */
  function gateway(input: string): Promise<string> {
    const child = spawn(process.execPath, ['--disable-warning=ExperimentalWarning', GATEWAY], {
      stdio: ['pipe', 'pipe', 'inherit'],
    });
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (data) => {
        output += data;
      });
      child.once('error', reject);
      child.once('close', (code) =>
        code === 0 ? resolve(output) : reject(new Error(`the gateway ended with ${code}`)),
      );
    });
  }

  it('rejects, and does not hang, when Redis is gone', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const passport = await passportOf(world, await agentKeys());
    const replayStore = redisReplayStore(await connected());
    const verifier = await verifierOf([world], { replayStore, timeout: 1 });
    expect((await verifier.verifyAction(await requestOf(world, passport))).allowed).toBe(true);
    server.kill('SIGKILL');
    await new Promise((resolve) => server.once('exit', resolve));
    const { allowed, reasons } = await verifier.verifyAction(await requestOf(world, passport));
    expect([allowed, reasons[0]?.code]).toEqual([false, 'replay-store-failed']);
  });
});
