import {
  createIssuerLookup,
  createRegistryClient,
  type IssuerLookup,
  memoryStore,
  type RegistryClientOptions,
} from '@passport-registry/verifier';
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import { type Files, issuer, publish, type TestKey, testKey } from '../../support/publication.js';
import { responseFrom } from '../../support/statements.js';
import { timeFromNow } from '../../support/times.js';

// Some platforms drop the work of a request that has ended: its promises never settle, and its timers never fire.

const [A, B] = ['https://a.example', 'https://b.example'];
/** Of each source, in seconds. */
const TIMEOUT = 10;
/** Two sources, and the store. */
const LONGEST = 3 * TIMEOUT * 1000;
const never = () => new Promise<never>(() => undefined);

let root: TestKey;
let first: Files;
let second: Files;
/** What the hosts answer. Undefined: nothing, not even to the end of the request. */
let served: Files | undefined;
let unanswered: number;

beforeAll(async () => {
  root = await testKey();
  first = publish(root, [issuer('alpha')], { updatedAt: timeFromNow(-120) });
  second = publish(root, [issuer('alpha', { status: 'suspended' })], { updatedAt: timeFromNow(-60) });
});
beforeEach(() => {
  served = first;
  unanswered = 0;
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] });
});
afterEach(() => {
  vi.useRealTimers();
});

const fetch = async (url: unknown): Promise<Response> => {
  if (served === undefined) {
    unanswered += 1;
    return never();
  }
  return responseFrom(served, new URL(String(url)).pathname.slice(1));
};

const options = (more: Partial<RegistryClientOptions> = {}) => ({
  sources: [A, B],
  rootKey: root.rootKey.jwk,
  timeout: TIMEOUT,
  refreshInterval: 60,
  fetch,
  ...more,
});

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await vi.advanceTimersByTimeAsync(1);
}

/** Does something in a request that lasts as long as needed. */
async function inRequest<T>(work: Promise<T>): Promise<T> {
  let isOver = false;
  const end = () => {
    isOver = true;
  };
  work.then(end, end);
  await until(() => isOver);
  // A client hashes its list after it has loaded the list.
  await vi.advanceTimersByTimeAsync(100);
  return work;
}

/** Waits until a client has asked both sources for something that they do not answer. */
const sent = () => until(() => unanswered >= 2);

/** Lets a request end: its timers are gone. Then it is later. */
function endRequest(later: number): void {
  // This also sets the clock back.
  vi.clearAllTimers();
  vi.setSystemTime(later);
}

const statusOf = (client: { resolve(id: string): { status: string } | undefined }) =>
  client.resolve('alpha')?.status;

describe('work that has been lost', () => {
  it('is joined until it must have ended, and then begun again', async () => {
    const client = closedAfterTest(createRegistryClient(options()));
    await inRequest(client.ready());
    served = undefined;
    const begun = Date.now();
    const lost = client.refresh();
    lost.catch(() => undefined);
    await sent();
    served = second;
    endRequest(begun + LONGEST - 1);
    const joined = client.refresh();
    joined.catch(() => undefined);
    expect(statusOf(client)).toBe('active');
    endRequest(begun + LONGEST);
    await inRequest(client.refresh());
    expect(statusOf(client)).toBe('suspended');
    // Whoever still waits is told.
    await expect(joined).rejects.toMatchObject({
      code: 'ERR_NO_USABLE_SOURCE',
      errors: { [A]: { code: 'ERR_SOURCE_TIMEOUT' } },
    });
    await expect(lost).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
  });

  it('does not keep reads from the next refresh', async () => {
    const client = closedAfterTest(createRegistryClient(options()));
    await inRequest(client.ready());
    served = undefined;
    endRequest(Date.now() + 60_000);
    expect(statusOf(client)).toBe('active');
    await sent();
    served = second;
    endRequest(Date.now() + LONGEST);
    // This read begins the refresh.
    statusOf(client);
    await inRequest(client.refresh());
    expect(statusOf(client)).toBe('suspended');
  });

  it('of a look-up does not keep the next look-up waiting', async () => {
    const lookup = closedAfterTest(createIssuerLookup(options()));
    served = undefined;
    lookup.resolve('alpha').catch(() => undefined);
    await sent();
    served = second;
    endRequest(Date.now() + LONGEST);
    expect((await inRequest(lookup.resolve('alpha')))?.status).toBe('suspended');
  });

  it('of the start of a look-up is waited for no longer than it can take', async () => {
    await loseAndAskAgain(closedAfterTest(createIssuerLookup(options())));
  });

  it('of a look-up is waited for no longer than it can take', async () => {
    const lookup = closedAfterTest(createIssuerLookup(options()));
    await inRequest(lookup.ready());
    endRequest(Date.now() + 60_000);
    await loseAndAskAgain(lookup);
  });

  /** Loses a question to a look-up, and asks again: the answer begins anew, after no longer than the lost one can take. */
  async function loseAndAskAgain(lookup: IssuerLookup): Promise<void> {
    served = undefined;
    lookup.resolve('alpha').catch(() => undefined);
    await sent();
    const joined = Date.now();
    endRequest(joined);
    served = first;
    expect((await inRequest(lookup.resolve('alpha')))?.status).toBe('active');
    expect(Date.now() - joined).toBeLessThan(LONGEST + TIMEOUT * 1000);
  }

  it('in the store does not keep a client from its start', async () => {
    const load = vi.fn(async () => undefined).mockImplementationOnce(never);
    const client = closedAfterTest(
      createRegistryClient(options({ store: { load, save: async () => undefined } })),
    );
    client.ready().catch(() => undefined);
    await until(() => load.mock.calls.length === 1);
    endRequest(Date.now() + LONGEST);
    await inRequest(client.ready());
    expect(statusOf(client)).toBe('active');
  });

  it('in the store does not keep a client from later saves', async () => {
    const store = memoryStore();
    const save = vi.spyOn(store, 'save').mockImplementationOnce(never);
    const client = closedAfterTest(createRegistryClient(options({ store })));
    client.ready().catch(() => undefined);
    await until(() => save.mock.calls.length === 1);
    served = second;
    endRequest(Date.now() + LONGEST);
    await inRequest(client.refresh());
    expect(save).toHaveBeenCalledTimes(2);
    expect((await store.load())?.list).toBeDefined();
  });

  it('in the store, if it answers late, makes no client forget, and nobody wait', async () => {
    const store = memoryStore();
    await inRequest(closedAfterTest(createRegistryClient(options({ store }))).ready());
    const stored = await store.load();
    let answer = (_late: typeof stored) => {};
    const late = new Promise<typeof stored>((resolve) => {
      answer = resolve;
    });
    const load = vi.fn(store.load).mockImplementationOnce(() => late);
    const client = closedAfterTest(
      createRegistryClient(options({ store: { load, save: async () => undefined } })),
    );
    const first = client.refresh().catch(() => undefined);
    await until(() => load.mock.calls.length === 1);
    endRequest(Date.now() + LONGEST);
    served = second;
    await inRequest(client.ready());
    await inRequest(client.refresh());
    served = undefined;
    const refreshing = client.refresh();
    refreshing.catch(() => undefined);
    await sent();
    answer(stored);
    // Verification does not run by the faked timers.
    for (let turn = 0; turn < 100; turn++) await new Promise(setImmediate);
    expect(statusOf(client)).toBe('suspended');
    endRequest(Date.now() + LONGEST);
    served = second;
    await inRequest(client.refresh());
    await expect(refreshing).rejects.toMatchObject({ code: 'ERR_NO_USABLE_SOURCE' });
    await first;
    expect(load).toHaveBeenCalledTimes(2);
  });
});
