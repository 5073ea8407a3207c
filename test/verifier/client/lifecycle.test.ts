import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createRegistryClient,
  keyValueStore,
  memoryStore,
  type NoUsableSource,
  type RegistryClientOptions,
  type RegistryStore,
} from '@passport-registry/verifier';
import { fileStore } from '@passport-registry/verifier/node';
import { describe, expect, it } from 'vitest';
import { closedAfterTest, watchedClient } from '../../support/clients.js';
import { issuer, publish, publishBytes, testKey, withCheckpoint } from '../../support/publication.js';
import { DOWN, type RegistryHost, registryHost, UP } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';
import { timeFromNow } from '../../support/times.js';
import { temporaryFolder } from '../../support/workspace.js';

shortenRetries();

const [root, online] = await Promise.all([testKey(), testKey()]);

function watched(hosts: readonly RegistryHost[], options: Partial<RegistryClientOptions> = {}) {
  const { jwk } = root.rootKey;
  return watchedClient(hosts, (usual) => createRegistryClient({ ...usual, rootKey: jwk, ...options }));
}

const list = (status: 'active' | 'suspended' | 'revoked' = 'active', updatedAt = timeFromNow(-60)) =>
  publish(root, [issuer('a', { status })], { updatedAt });
const POLICY = { tiers: ['certified' as const] };
const until = async (condition: () => boolean) => {
  for (let tries = 0; tries < 1_500 && !condition(); tries++)
    await new Promise((resolve) => setTimeout(resolve, 20));
  expect(condition()).toBe(true);
};

describe('sources', () => {
  it('that all fail at the start are named, each with its error; a later ready() may succeed', async () => {
    const [one, two] = [await registryHost(list()), await registryHost()];
    one.intercept = DOWN;
    const { client } = watched([one, two]);
    expect(() => client.resolve('a')).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_NOT_READY' }));
    const error = (await client.ready().catch((thrown) => thrown)) as NoUsableSource;
    expect(error.code).toBe('ERR_NO_USABLE_SOURCE');
    expect(error.errors[one.base]?.code).toBe('ERR_SOURCE_STATUS');
    expect(error.message).toContain(two.base);
    one.intercept = UP;
    await client.ready();
    expect(client.resolve('a')?.issuer_id).toBe('a');
  });

  it('may be below a sub-path', async () => {
    const host = await registryHost();
    host.files = new Map([...together(list())].map(([path, bytes]) => [`mirror/${path}`, bytes]));
    const client = createRegistryClient({ sources: [`${host.base}/mirror`], rootKey: root.rootKey.jwk });
    closedAfterTest(client);
    await client.ready();
    expect(client.list()).toHaveLength(1);
  });
});

describe('refreshing', () => {
  it('brings a revocation within the interval, by itself', async () => {
    const host = await registryHost(list('active'));
    const { client } = watched([host], { refreshInterval: 0.2 });
    await client.ready();
    expect(client.decide('a', POLICY).accepted).toBe(true);
    host.files = list('revoked', timeFromNow(-30));
    await until(() => !client.decide('a', POLICY).accepted);
    expect(client.decide('a', POLICY).reasons[0]?.code).toBe('status-revoked');
  });

  it('with a new checkpoint fetches no list until there is a new one, and then by its hash', async () => {
    const host = await registryHost(await withCheckpoint(list(), root, online));
    const { client, events } = watched([host]);
    await client.ready();
    host.log.length = 0;
    host.files = await withCheckpoint(list('active', client.updatedAt), root, online, {
      iat: Math.floor(Date.now() / 1000) - 30,
    });
    await client.refresh();
    expect(host.log.filter((line) => /issuers|lists/.test(line))).toEqual([]);
    expect(events.at(-1)?.type).toBe('unchanged');
    host.files = await withCheckpoint(list('suspended', timeFromNow(-10)), root, online, {
      iat: Math.floor(Date.now() / 1000) - 20,
    });
    // The list at its usual path is still another one. Nobody reads that.
    host.files.set('issuers.json', Buffer.from('{}'));
    await client.refresh();
    expect(client.decide('a', POLICY).reasons[0]?.code).toBe('status-suspended');
  });

  it('happens once at a time, however often it is asked for', async () => {
    const host = await registryHost(list());
    const { client } = watched([host]);
    await client.ready();
    host.log.length = 0;
    await Promise.all(Array.from({ length: 20 }, () => client.refresh()));
    expect(host.log.filter((line) => line.startsWith('statements.json'))).toHaveLength(1);
  });

  it('never makes a read wait', async () => {
    const host = await registryHost(list());
    const { client } = watched([host]);
    await client.ready();
    host.intercept = () => true;
    const refresh = client.refresh().catch(() => undefined);
    expect(client.resolve('a')?.issuer_id).toBe('a');
    client.close();
    await refresh;
  });

  it('starts from a read, where no timer has run', async () => {
    let now = Date.now();
    const host = await registryHost(list());
    const { client } = watched([host], { refreshInterval: 3000, now: () => now });
    await client.ready();
    host.files = list('revoked', timeFromNow(-30));
    now += 3_001_000;
    expect(client.decide('a', POLICY).accepted).toBe(true);
    await until(() => !client.decide('a', POLICY).accepted);
  });

  it('comes sooner after a failure than the interval says', async () => {
    const host = await registryHost(list());
    const { client } = watched([host], { refreshInterval: 1000 });
    await client.ready();
    host.intercept = DOWN;
    await client.refresh().catch(() => undefined);
    host.log.length = 0;
    host.intercept = UP;
    host.files = list('revoked', timeFromNow(-30));
    await until(() => !client.decide('a', POLICY).accepted);
  });

  it('is not disturbed by a hook that throws', async () => {
    const { client } = watched([await registryHost(list())], {
      onEvent: () => {
        throw new Error('hook');
      },
    });
    await client.ready();
    expect(client.list()).toHaveLength(1);
  });
});

describe('when no source has anything fresh', () => {
  it('the list is used on within the grace, then every read fails and says since when; it recovers', async () => {
    let now = Date.now();
    const host = await registryHost(await withCheckpoint(list(), root, online));
    const { client, events } = watched([host], { now: () => now, grace: 600, clockTolerance: 0 });
    await client.ready();
    const { freshUntil } = client.status();
    host.intercept = DOWN;
    now = Number(freshUntil) + 599_000;
    await expect(client.refresh()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    expect(client.resolve('a')?.issuer_id).toBe('a');
    now = Number(freshUntil) + 601_000;
    for (const read of [
      () => client.resolve('a'),
      () => client.list(),
      () => client.decide('a', POLICY),
      () => client.updatedAt,
    ]) {
      expect(read).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_STALE' }));
    }
    expect(events.at(-1)?.type).toBe('refresh-failed');
    host.intercept = UP;
    const seconds = Math.floor(now / 1000);
    host.files = await withCheckpoint(list('active', client.status().updatedAt), root, online, {
      iat: seconds,
      exp: seconds + 3600,
    });
    host.files.delete('publication.jwt');
    await expect(client.refresh()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    host.files = await withCheckpoint(list('active', client.status().updatedAt), root, online, {
      iat: seconds,
      exp: seconds + 3600,
    });
    await client.refresh();
    expect(client.resolve('a')?.issuer_id).toBe('a');
  });
});

describe('a store', () => {
  const stores: [string, () => RegistryClientOptions['store']][] = [
    ['in memory', () => memoryStore()],
    ['in a file', () => fileStore(join(temporaryFolder(), 'state', 'registry.json'))],
    [
      'in localStorage',
      () => {
        const kept = new Map<string, string>();
        return keyValueStore({
          getItem: (key) => kept.get(key) ?? null,
          setItem: (key, value) => void kept.set(key, value),
        });
      },
    ],
  ];
  it.each(stores)('%s lets a restart neither go back nor need the network', async (_name, make) => {
    const store = make();
    const host = await registryHost(await withCheckpoint(list('revoked', timeFromNow(-100)), root, online));
    const options = store === undefined ? {} : { store };
    const { client } = watched([host], options);
    await client.ready();
    client.close();
    host.intercept = DOWN;
    const { client: offline } = watched([host], options);
    await offline.ready();
    expect(offline.status().source).toBe('store');
    expect(offline.decide('a', POLICY).reasons[0]?.code).toBe('status-revoked');
    host.intercept = UP;
    host.files = await withCheckpoint(list('active', timeFromNow(-200)), root, online);
    const { client: attacked } = watched([host], options);
    await attacked.ready();
    await attacked.refresh().catch(() => undefined);
    expect(attacked.status().errors[host.base]?.code).toBe('ERR_PUBLICATION_ROLLED_BACK');
    expect(attacked.decide('a', POLICY).accepted).toBe(false);
  });

  it.each([
    ...[null, 7, 'x', [], { version: 1 }],
    { version: 1, list: '{}' },
    { version: 1, statements: {} },
    { version: 1, statements: '{}', list: 1 },
    { version: 1, statements: '{}', publication: 'x' },
  ])('that has %j is told, and the client goes on', async (content) => {
    const host = await registryHost(list());
    const store = { load: async () => content as never, save: async () => undefined };
    const { client, events } = watched([host], { store });
    await client.ready();
    expect(events[0]).toMatchObject({ type: 'store-failed', error: { code: 'ERR_BUNDLE_INVALID' } });
  });

  it.each([
    ['altered', (text: string) => text.replace('certified', 'founding')],
    ['cut short', (text: string) => text.slice(0, 50)],
    ['of another shape', () => '{"version":1,"list":7}'],
    ['of a later version', (text: string) => text.replace('"version":1', '"version":2')],
  ])('that was %s is not believed', async (_name, alter) => {
    const file = join(temporaryFolder(), 'registry.json');
    const host = await registryHost(list());
    await watched([host], { store: fileStore(file) }).client.ready();
    writeFileSync(file, alter(readFileSync(file, 'utf8')));
    host.intercept = DOWN;
    const { client, events } = watched([host], { store: fileStore(file) });
    await expect(client.ready()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    expect(events[0]?.type).toBe('store-failed');
    host.intercept = UP;
    await client.ready();
    expect(client.list()).toHaveLength(1);
  });

  it('is written only after every check has passed, whole, and for its owner', async () => {
    const file = join(temporaryFolder(), 'registry.json');
    const host = await registryHost(publish(await testKey(), [issuer('a')]));
    const { client } = watched([host], { store: fileStore(file) });
    await client.ready().catch(() => undefined);
    expect(existsSync(file)).toBe(false);
    host.files = list();
    await client.refresh();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(JSON.parse(readFileSync(file, 'utf8')).version).toBe(1);
  });

  it('that fails does not keep the client from working', async () => {
    const broken = {
      load: () => Promise.reject(new Error('disk')),
      save: () => Promise.reject(new Error('disk')),
    };
    const { client, events } = watched([await registryHost(list())], { store: broken });
    await client.ready();
    expect(client.list()).toHaveLength(1);
    expect(events.map(({ type }) => type)).toEqual(['store-failed', 'accepted', 'store-failed']);
  });

  it('that never answers fails at the deadline, and the client goes on', async () => {
    const silent: RegistryStore = {
      load: () => new Promise(() => undefined),
      save: () => new Promise(() => undefined),
    };
    const { client, events } = watched([await registryHost(list())], { store: silent, timeout: 3 });
    await client.ready();
    expect(client.list()).toHaveLength(1);
    await client.refresh();
    const failures = events.filter(({ type }) => type === 'store-failed');
    expect(failures).toHaveLength(2);
    expect(failures).toMatchObject(failures.map(() => ({ error: { code: 'ERR_SOURCE_TIMEOUT' } })));
  });
});

describe('what a client tells of itself', () => {
  it('source, time, age, root key, freshness', async () => {
    const host = await registryHost(list());
    const { client } = watched([host]);
    expect(client.status()).toMatchObject({
      source: undefined,
      updatedAt: undefined,
      age: undefined,
      errors: {},
    });
    await client.ready();
    const status = client.status();
    expect(status).toMatchObject({
      source: host.base,
      updatedAt: client.updatedAt,
      errors: {},
    });
    expect(status.rootKeys).toEqual([root.rootKey.thumbprint]);
    expect(status.age).toBeLessThan(5);
  });
});

describe('a closed client', () => {
  it('asks no source, and says that it is closed', async () => {
    const host = await registryHost(list());
    const { client } = watched([host]);
    const loading = client.ready();
    client.close();
    const outcomes = await Promise.allSettled([loading, client.ready(), client.refresh()]);
    const closed = expect.objectContaining({ code: 'ERR_REGISTRY_CLOSED' });
    expect(outcomes).toEqual(Array(3).fill({ status: 'rejected', reason: closed }));
    expect(host.log).toEqual([]);
  });

  it('says so to a refresh under way', async () => {
    const host = await registryHost(list());
    const { client } = watched([host]);
    host.intercept = () => {
      client.close();
      return true;
    };
    await expect(client.refresh()).rejects.toMatchObject({ code: 'ERR_REGISTRY_CLOSED' });
  });
});

describe('a list that is not the one that its publication names', () => {
  it('is downloaded three times', async () => {
    const size = 2 ** 20;
    const files = publishBytes(root, Buffer.alloc(size, ' '));
    const host = await registryHost(new Map([...files].filter(([path]) => !path.startsWith('lists/'))));
    host.files.set('issuers.json', Buffer.alloc(size, 'x'));
    const { client } = watched([host], { timeout: 20 });
    await client.ready().catch(() => undefined);
    expect(client.status().errors[host.base]?.code).toBe('ERR_PUBLICATION_MISMATCH');
    expect(host.log.filter((line) => line === 'issuers.json 200')).toHaveLength(3);
  });
});
