import { type ChildProcess, spawn } from 'node:child_process';
import { memoryReplayStore, type ReplayStore } from '@passport-registry/verifier';
import { redisReplayStore } from '@passport-registry/verifier/redis';
import { createClient } from 'redis';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { describeWith } from '../../support/components.js';
import { agentKeys, issuerKey, issuerWorld, passportOf, requestOf } from '../../support/passport-world.js';
import { ROOT } from '../../support/paths.js';
import { freePort } from '../../support/serving.js';
import { temporaryFolder } from '../../support/workspace.js';

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
      Array.from({ length: 100 }, (_one, index) => (stores[index % 2] as ReplayStore).claim('a', 200)),
    );
    expect(answers.filter(Boolean)).toHaveLength(1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(await stores[1]?.claim('a', 200)).toBe(true);
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
    const input = JSON.stringify({
      port,
      record: world.record,
      address: world.address,
      url: world.url,
      requests,
    });
    const outputs = await Promise.all([gateway(input), gateway(input)]);
    const codes = outputs.map((output) => JSON.parse(output) as string[]);
    requests.forEach((_request, index) => {
      expect(codes.map((one) => one[index]).sort()).toEqual(['action-replayed', 'verified']);
    });
    expect(codes.every((one) => one.includes('verified'))).toBe(true);
  });

  /** A verifier in a process of its own: it waits for the other one, then verifies all requests at once. */
  function gateway(input: string): Promise<string> {
    const child = spawn(
      process.execPath,
      ['--disable-warning=ExperimentalWarning', '--input-type=module', '-e', GATEWAY],
      {
        cwd: ROOT,
        stdio: ['pipe', 'pipe', 'inherit'],
      },
    );
    child.stdin.end(input);
    return new Promise((resolve, reject) => {
      let output = '';
      child.stdout.on('data', (data) => {
        output += data;
      });
      child.once('error', reject);
      child.once('exit', (code) =>
        code === 0 ? resolve(output) : reject(new Error(`the gateway ended with ${code}`)),
      );
    });
  }

  const GATEWAY = `
    import { connectTo, createPassportVerifier } from '@passport-registry/verifier';
    import { redisReplayStore } from '@passport-registry/verifier/redis';
    import { createClient } from 'redis';
    let text = '';
    for await (const chunk of process.stdin) text += chunk;
    const { port, record, address, url, requests, backwards } = JSON.parse(text);
    const client = createClient({ url: 'redis://127.0.0.1:' + port });
    await client.connect();
    const verifier = createPassportVerifier({
      registry: { updatedAt: '', sha256: '', decide: () => ({ accepted: true, reasons: [], issuer: record }) },
      policy: { tiers: ['certified'] },
      audience: 'https://mail.example',
      replayStore: redisReplayStore(client),
      fetch: connectTo({ [url]: address }),
    });
    await verifier.verifyPassport(requests[0].token);
    await client.incr('barrier');
    while (Number(await client.get('barrier')) < 2) await new Promise((resolve) => setTimeout(resolve, 1));
    const codes = [];
    const ordered = backwards ? requests.reverse() : requests;
    for (const request of ordered) codes.push((await verifier.verifyAction(request)).reasons[0].code);
    process.stdout.write(JSON.stringify(backwards ? codes.reverse() : codes));
    client.destroy();
  `;

  it('rejects, and does not hang, when Redis is gone', async () => {
    const { createPassportVerifier } = await import('@passport-registry/verifier');
    const world = await issuerWorld('alpha', await issuerKey());
    const passport = await passportOf(world, await agentKeys());
    const { fetchOf, registryOf } = await import('../../support/passport-world.js');
    const verifier = createPassportVerifier({
      registry: await registryOf([world]),
      policy: { tiers: ['certified'] },
      audience: 'https://mail.example',
      replayStore: redisReplayStore(await connected()),
      fetch: fetchOf([world]),
      timeout: 1,
    });
    expect((await verifier.verifyAction(await requestOf(world, passport))).allowed).toBe(true);
    server.kill('SIGKILL');
    await new Promise((resolve) => server.once('exit', resolve));
    const { allowed, reasons } = await verifier.verifyAction(await requestOf(world, passport));
    expect([allowed, reasons[0]?.code]).toEqual([false, 'replay-store-failed']);
  });
});
