import {
  createIssuerLookup,
  createRegistryClient,
  type IssuerLookupOptions,
  memoryStore,
  type RegistryClientOptions,
  type RegistryStore,
} from '@passport-registry/verifier';
import { beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  type Files,
  issuer,
  publish,
  rotationStep,
  testKey,
  withCheckpoint,
  withRotation,
} from '../../support/publication.js';
import { responseFrom, storedMembers } from '../../support/statements.js';
import { timeFromNow } from '../../support/times.js';

const POLICY = { tiers: ['certified' as const] };
const [A, B] = ['https://a.example', 'https://b.example'];

/** The URLs of all requests. */
let asked: string[];

const [root, online, next] = await Promise.all([testKey(), testKey(), testKey()]);
const good = await withCheckpoint(publish(root, [issuer('a')]), root, online);
beforeEach(() => {
  asked = [];
});

type Answer = (path: string, signal: AbortSignal) => Response | Promise<Response>;
const serve =
  (files: Files): Answer =>
  (path) =>
    responseFrom(files, path);
const hang: Answer = (_path, signal) =>
  new Promise((_resolve, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason));
  });
const fail: Answer = () => new Response('', { status: 503 });

/** A `fetch` without a network. */
const fetchFrom =
  (hosts: Record<string, Answer>): typeof fetch =>
  async (input, init) => {
    const { origin, pathname } = new URL(String(input));
    asked.push(String(input));
    const signal = init?.signal as AbortSignal;
    signal.throwIfAborted();
    return (hosts[origin] as Answer)(pathname.slice(1), signal);
  };

function clientOf(hosts: Record<string, Answer>, options: Partial<RegistryClientOptions> = {}) {
  const usual = { sources: Object.keys(hosts), rootKey: root.rootKey.jwk, refreshInterval: 1000 };
  return closedAfterTest(createRegistryClient({ ...usual, fetch: fetchFrom(hosts), ...options }));
}

function lookupOf(hosts: Record<string, Answer>, options: Partial<IssuerLookupOptions> = {}) {
  const usual = { sources: Object.keys(hosts), rootKey: root.rootKey.jwk, refreshInterval: 1000 };
  return closedAfterTest(createIssuerLookup({ ...usual, fetch: fetchFrom(hosts), ...options }));
}

const settled = (work: Promise<unknown>) =>
  work.then(
    () => 'resolved',
    (error) => error.code as string,
  );

describe('closing a client', () => {
  it.each(['ready', 'refresh'] as const)('settles whatever waits, at any moment of %s()', async (work) => {
    for (let moment = 0; moment < 30; moment++) {
      const client = clientOf({ [A]: serve(good) }, { store: memoryStore() });
      if (work === 'refresh') await client.ready();
      const waiting = settled(client[work]());
      for (let tick = 0; tick < moment; tick++) await null;
      client.close();
      expect(['resolved', 'ERR_REGISTRY_CLOSED']).toContain(await waiting);
    }
  });

  it('ends the wait for a store that never answers', async () => {
    const store: RegistryStore = { load: () => new Promise(() => undefined), save: async () => undefined };
    const client = clientOf({ [A]: serve(good) }, { store });
    const waiting = [settled(client.ready()), settled(client.refresh())];
    await null;
    client.close();
    expect(await Promise.all(waiting)).toEqual(['ERR_REGISTRY_CLOSED', 'ERR_REGISTRY_CLOSED']);
  });

  it('ends a look-up: it sends no further request, and refuses each question', async () => {
    const files = publish(root, [issuer('a')], { levels: 1 });
    let isHanging = false;
    const answer: Answer = (path, signal) => {
      isHanging ||= path.startsWith('sums/');
      return isHanging ? hang(path, signal) : serve(files)(path, signal);
    };
    const lookup = lookupOf({ [A]: answer, [B]: answer });
    const waiting = settled(lookup.resolve('a'));
    await vi.waitFor(() => expect(isHanging).toBe(true));
    const before = asked.length;
    lookup.close();
    const questions = [
      lookup.resolve('a'),
      lookup.resolve('index'),
      lookup.decide('a', POLICY),
      lookup.ready(),
    ];
    for (const answer of [waiting, ...questions.map(settled)])
      expect(await answer).toBe('ERR_REGISTRY_CLOSED');
    expect(asked.slice(before)).toEqual([]);
  });

  it('cancels an answer that comes too late, from a fetch that ignores its signal', async () => {
    let answer = (_response: Response) => {};
    const late = new Promise<Response>((resolve) => {
      answer = resolve;
    });
    const fetch = vi.fn(() => late);
    const client = clientOf({ [A]: serve(good) }, { fetch });
    const waiting = settled(client.ready());
    await vi.waitFor(() => expect(fetch).toHaveBeenCalled());
    client.close();
    expect(await waiting).toBe('ERR_REGISTRY_CLOSED');
    const cancelled = new Promise<void>((resolve) => {
      answer(new Response(new ReadableStream({ cancel: () => resolve() })));
    });
    await cancelled;
  });

  it('tells nothing more, also not what the same step has to tell', async () => {
    const told: string[] = [];
    const client = clientOf(
      { [A]: fail },
      {
        onEvent: ({ type }) => {
          told.push(type);
          client.close();
        },
      },
    );
    await settled(client.ready());
    expect(told).toEqual(['source-failed']);
  });
});

describe('a client that is told of an event', () => {
  it('answers from what the event says', async () => {
    const told: unknown[] = [];
    const client = clientOf(
      { [A]: hang, [B]: serve(good) },
      { timeout: 0.3, onEvent: ({ type }) => told.push([type, client.resolve('a')?.status]) },
    );
    await client.ready();
    expect(told).toEqual([
      ['source-failed', 'active'],
      ['accepted', 'active'],
    ]);
  });

  it('shares the refresh that has just failed', async () => {
    let count = 0;
    const client = clientOf(
      { [A]: (path, signal) => (count > 0 ? fail : serve(good))(path, signal) },
      {
        onEvent: ({ type }) => {
          if (type === 'source-failed') client.refresh().catch(() => undefined);
        },
      },
    );
    await client.ready();
    count = 1;
    asked = [];
    await settled(client.refresh());
    for (let tick = 0; tick < 100; tick++) await new Promise((resolve) => setImmediate(resolve));
    expect(asked.filter((url) => url.endsWith('statements.json'))).toHaveLength(1);
  });
});

describe('what a client leaves behind', () => {
  it('is no request and no timer, from the moment in which it is closed', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const signals: AbortSignal[] = [];
    const answer: Answer = (path, signal) => {
      signals.push(signal);
      return hang(path, signal);
    };
    const client = clientOf({ [A]: answer, [B]: answer });
    const waiting = settled(client.ready());
    await vi.waitFor(() => expect(signals.length).toBeGreaterThan(1));
    expect([signals.some(({ aborted }) => aborted), vi.getTimerCount() > 0]).toEqual([false, true]);
    client.close();
    expect([signals.every(({ aborted }) => aborted), vi.getTimerCount()]).toEqual([true, 0]);
    // No time passes for the client.
    expect(await waiting).toBe('ERR_REGISTRY_CLOSED');
  });

  it('is no timer, after a look-up that nobody waits for', async () => {
    const files = publish(root, [issuer('a')], { levels: 1 });
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    await lookupOf({ [A]: serve(files) }).resolve('a');
    expect(vi.getTimerCount()).toBe(0);
  });

  it('is no further refresh, however much time passes', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    onTestFinished(() => void vi.useRealTimers());
    const client = clientOf({ [A]: serve(good) });
    await client.ready();
    asked = [];
    await vi.advanceTimersByTimeAsync(2_000_000);
    expect(asked).not.toEqual([]);
    client.close();
    asked = [];
    await vi.advanceTimersByTimeAsync(2_000_000);
    expect(asked).toEqual([]);
  });

  it('is the rotation of a source that it refused, once it says so', async () => {
    const inner = memoryStore();
    let decide = () => {};
    let decided = Promise.resolve();
    const store: RegistryStore = {
      load: () => inner.load(),
      save: async (publication) => {
        await decided;
        await new Promise((resolve) => setImmediate(resolve));
        await inner.save(publication);
      },
    };
    let files = good;
    const onEvent = ({ type }: { type: string }) => type === 'refresh-failed' && decide();
    const client = clientOf({ [A]: (path, signal) => serve(files)(path, signal) }, { store, onEvent });
    await client.ready();
    decided = new Promise((resolve) => {
      decide = resolve;
    });
    files = withRotation(good, [await rotationStep(root, next)]);
    await expect(client.refresh()).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    expect(storedMembers(await inner.load()).rotation).toHaveLength(1);
  });

  it('is the newest evidence, however slow the store is', async () => {
    let release = () => {};
    const slow = new Promise<void>((resolve) => {
      release = resolve;
    });
    const inner = memoryStore();
    const saved: boolean[] = [];
    const store: RegistryStore = {
      load: () => inner.load(),
      save: async (publication) => {
        if (saved.length === 0) await slow;
        saved.push(storedMembers(publication).rotation !== undefined);
        await inner.save(publication);
      },
    };
    const rotated = withRotation(good, [await rotationStep(root, next)]);
    let showsRotation = (_response: Response) => {};
    const rotation = new Promise<Response>((resolve) => {
      showsRotation = resolve;
    });
    const hiding: Answer = (path, signal) =>
      path === 'statements.json' ? rotation : serve(good)(path, signal);
    const client = clientOf({ [A]: serve(good), [B]: hiding }, { store });
    const waiting = settled(client.ready());
    await vi.waitFor(() => expect(client.status().updatedAt).toBeDefined());
    showsRotation(serve(rotated)('statements.json', AbortSignal.abort()) as Response);
    await new Promise((resolve) => setTimeout(resolve, 50));
    release();
    await waiting;
    await vi.waitFor(() => expect(saved.at(-1)).toBe(true));
    expect(storedMembers(await inner.load()).rotation).toHaveLength(1);
  });
});

describe('a clock that throws', () => {
  it('breaks no more than the reads that ask it', async () => {
    for (let broken = 1; broken <= 16; broken++) {
      let calls = 0;
      const client = clientOf(
        { [A]: serve(good) },
        {
          now: () => {
            calls += 1;
            if (calls === broken) throw new Error('no clock');
            return Date.now();
          },
        },
      );
      await settled(client.ready());
      await client.refresh();
      expect(client.resolve('a')?.issuer_id).toBe('a');
      client.close();
    }
  });

  it('never makes a read answer', async () => {
    let isBroken = false;
    const now = () => {
      if (isBroken) throw new Error('no clock');
      return Date.now();
    };
    const client = clientOf({ [A]: serve(good) }, { now });
    await client.ready();
    isBroken = true;
    expect(() => client.resolve('a')).toThrow('no clock');
    client.close();
  });
});

it('accepts nothing while the clock has never answered', async () => {
  const now = () => {
    throw new Error('no clock');
  };
  const client = clientOf(
    { [A]: serve(await withCheckpoint(publish(root, [], { updatedAt: timeFromNow(-60) }), root, online)) },
    { now },
  );
  expect(await settled(client.ready())).not.toBe('resolved');
});
