import type { IncomingMessage, ServerResponse } from 'node:http';
import {
  createRegistryClient,
  memoryStore,
  type RegistryClientOptions,
  type RegistryEvent,
} from '@passport-registry/verifier';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  type Files,
  issuer,
  publish,
  testKey,
  withCheckpoint,
  withStatements,
} from '../../support/publication.js';
import { DOWN, type RegistryHost, registryHost, UP } from '../../support/registry-host.js';
import { sha256 } from '../../support/sha256.js';
import { shortenRetries } from '../../support/short-retries.js';
import { timeFromNow } from '../../support/times.js';

shortenRetries();

const [root, online, stranger] = await Promise.all([testKey(), testKey(), testKey()]);

function clientOf(hosts: readonly RegistryHost[], options: Partial<RegistryClientOptions> = {}) {
  const sources = hosts.map(({ base }) => base);
  const { jwk } = root.rootKey;
  return closedAfterTest(createRegistryClient({ sources, rootKey: jwk, refreshInterval: 1000, ...options }));
}

const list = (updatedAt = timeFromNow(-60)) => publish(root, [issuer('a')], { updatedAt });
const checked = (updatedAt = timeFromNow(-60)) => withCheckpoint(list(updatedAt), root, online);

type Manner = (path: string, request: IncomingMessage, response: ServerResponse) => boolean;
const always =
  (answer: (response: ServerResponse) => void): Manner =>
  (_path, _request, response) => {
    answer(response);
    return true;
  };
const HANGS = always(() => undefined);
const DRIPS = always((response) => {
  response.writeHead(200);
  const timer = setInterval(() => response.write('e'), 20);
  response.once('close', () => clearInterval(timer));
});
const REDIRECTS: Manner = (path, _request, response) => {
  response.writeHead(302, { Location: `/${path}` }).end();
  return true;
};
const FAILS = always((response) => response.writeHead(500).end());

/** Lies by a wrong signature: everything is there, and by another key. */
const lying = async () =>
  registryHost(await withCheckpoint(publish(stranger, [issuer('x')]), stranger, stranger));
const behaving = async (manner: Manner, files: Files = list()) =>
  Object.assign(await registryHost(files), { intercept: manner });

describe('four sources of which the first three are no use', () => {
  /** In seconds. The test decides when they pass for the client, so it does not matter how long this machine takes. */
  const DEADLINE = 3;
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    return () => vi.useRealTimers();
  });
  /** Waits until a host is asked for its list. A client asks all hosts for the rotation at once. */
  const whenAsked = (host: RegistryHost) =>
    new Promise<void>((resolve) => {
      const { intercept } = host;
      host.intercept = (path, ...request) => {
        if (path !== 'statements.json') resolve();
        return intercept(path, ...request);
      };
    });
  type Trio = () => Promise<RegistryHost>[];
  const SLOW = 'ERR_SOURCE_TIMEOUT';
  const LIE = 'ERR_PUBLICATION_INVALID';
  /** Only those that are slow keep the client waiting: a source that fails makes it ask the next one at once. */
  it.each<[string, string[], Trio]>([
    ['hang', [SLOW, SLOW, SLOW], () => [behaving(HANGS), behaving(HANGS), behaving(HANGS)]],
    ['drip', [SLOW, SLOW, SLOW], () => [behaving(DRIPS), behaving(DRIPS), behaving(DRIPS)]],
    ['hang, drip and lie', [SLOW, SLOW, LIE], () => [behaving(HANGS), behaving(DRIPS), lying()]],
    [
      'lie, redirect without end and fail',
      [LIE, 'ERR_SOURCE_REDIRECTED', 'ERR_SOURCE_STATUS'],
      () => [lying(), behaving(REDIRECTS), behaving(FAILS)],
    ],
  ])(
    '%s: the newest good list arrives within the deadline of one source and a third',
    async (_name, errors, make) => {
      for (const files of [list(), await checked()]) {
        const hosts = [...(await Promise.all(make())), await registryHost(files)];
        const asked = hosts.map(whenAsked);
        const told: string[] = [];
        const client = clientOf(hosts, { timeout: DEADLINE, onEvent: ({ type }) => told.push(type) });
        const ready = client.ready();
        for (const request of asked.slice(0, errors.filter((code) => code === SLOW).length)) {
          await request;
          await vi.advanceTimersByTimeAsync((DEADLINE * 1000) / 3);
        }
        // At most one deadline has passed. No more time passes for the client.
        await ready;
        expect(client.sha256).toBe(sha256(files.get('issuers.json') as Buffer));
        const status = client.status();
        expect(hosts.map(({ base }) => status.errors[base]?.code)).toEqual([...errors, undefined]);
        expect(status.source).toBe(hosts.at(-1)?.base);
        expect(told).toEqual([...errors.map(() => 'source-failed'), 'accepted']);
        client.close();
      }
    },
  );
});

describe('one deadline', () => {
  it('is for all requests of a source, retries included, each of which is in time', async () => {
    const liar = await lying();
    liar.intercept = (path, _request, response) => {
      if (path === 'statements.json') return false;
      const body = liar.files.get(path);
      setTimeout(() => response.writeHead(body === undefined ? 404 : 200).end(body), 2_000);
      return true;
    };
    const start = performance.now();
    const client = clientOf([liar], { timeout: 3 });
    await expect(client.ready()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    // Three attempts of two rounds each would take more than twelve seconds.
    expect(performance.now() - start).toBeLessThan(10_000);
    // What was wrong is said, and not that there was no time to ask once more.
    expect(client.status().errors[liar.base]?.code).toBe('ERR_PUBLICATION_INVALID');
  });

  it('binds a fetch that ignores its signal as well', async () => {
    const good = await registryHost(list());
    const deaf = await registryHost(list());
    const client = clientOf([deaf, good], {
      timeout: 3,
      fetch: (input, init) =>
        String(input).startsWith(deaf.base) ? new Promise(() => undefined) : fetch(input, init),
    });
    await client.ready();
    expect(client.status().source).toBe(good.base);
  });
});

describe('which list wins', () => {
  it('is the first: nobody is waited for', async () => {
    const hanging = await behaving(HANGS);
    const good = await registryHost(await checked());
    const events: RegistryEvent[] = [];
    const client = clientOf([good, hanging], { timeout: 600, onEvent: (event) => events.push(event) });
    await client.ready();
    expect(client.status().source).toBe(good.base);
    expect(hanging.log).toEqual([]);
    expect(events.map(({ type }) => type)).toEqual(['accepted']);
  });
});

describe('a first load', () => {
  it('asks for everything at once: no request waits for another', async () => {
    for (const files of [list(), await checked()]) {
      const host = await registryHost(withStatements(files));
      const waiting: (() => void)[] = [];
      const asked: string[] = [];
      // Nothing is answered before all has been asked for.
      host.intercept = (path, _request, response) => {
        asked.push(path);
        waiting.push(() => {
          const body = host.files.get(path);
          response.writeHead(body === undefined ? 404 : 200).end(body);
        });
        if (waiting.length === 2) for (const answer of waiting) answer();
        return true;
      };
      await clientOf([host]).ready();
      expect(asked.sort()).toEqual(['issuers.json', 'statements.json']);
    }
  });

  it('takes the list by its hash where issuers.json is another one, and reads no more of that than its size', async () => {
    const files = await checked();
    const host = await registryHost(files);
    const size = 200_000_000;
    const sent = new Promise<number>((resolve) => {
      host.intercept = (path, _request, response) => {
        if (path !== 'issuers.json') return false;
        let bytes = 0;
        const send = () => {
          do bytes += 64 * 1024;
          while (bytes < size && response.write(Buffer.alloc(64 * 1024, ' ')));
          if (bytes >= size) response.end();
        };
        response
          .on('drain', send)
          .once('close', () => resolve(bytes))
          .writeHead(200);
        send();
        return true;
      };
    });
    await clientOf([host]).ready();
    expect(host.log).toContain(`lists/${sha256(files.get('issuers.json') as Buffer)}.json 200`);
    // The answer was begun, and given up: no more was sent than the buffers on the way hold.
    expect(await sent).toBeLessThan(size / 2);
  });
});

describe('a client whose ready() failed', () => {
  it('asks again by itself', async () => {
    const host = await behaving(DOWN);
    const client = clientOf([host], { refreshInterval: 0.05 });
    await expect(client.ready()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    expect(() => client.list()).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_NOT_READY' }));
    host.intercept = UP;
    await expect.poll(() => client.status().source).toBe(host.base);
    expect(client.list()).toHaveLength(1);
    await client.ready();
  });

  it('asks again from a read, where no timer has run', async () => {
    let now = Date.now();
    const host = await behaving(DOWN);
    const client = clientOf([host], { now: () => now, refreshInterval: 3000 });
    await client.ready().catch(() => undefined);
    host.intercept = UP;
    now += 3_001_000;
    expect(() => client.list()).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_NOT_READY' }));
    await expect.poll(() => client.status().source).toBe(host.base);
  });
});

describe('status().age', () => {
  it('is undefined until a source has confirmed the stored list', async () => {
    const store = memoryStore();
    const host = await registryHost(list());
    const first = clientOf([host], { store });
    await first.ready();
    expect(first.status().age).toBeLessThan(5);
    host.intercept = DOWN;
    const client = clientOf([host], { store });
    await client.ready();
    expect(client.status()).toMatchObject({ source: 'store', age: undefined });
    await client.refresh().catch(() => undefined);
    expect(client.status()).toMatchObject({ source: 'store', age: undefined });
    host.intercept = UP;
    await client.refresh();
    expect(client.status().age).toBeLessThan(5);
  });
});
