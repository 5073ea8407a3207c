import {
  createIssuerLookup,
  createRegistryClient,
  type IssuerLookup,
  type IssuerLookupOptions,
  memoryStore,
  openRegistry,
  type RegistryClient,
  type RegistryEvent,
  type StoredPublication,
} from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { closedAfterTest, watchedClient } from '../../support/clients.js';
import { codeOf } from '../../support/log-clients.js';
import {
  type Files,
  issuer,
  publish,
  statementClaims,
  testKey,
  withCheckpoint,
  withStatements,
} from '../../support/publication.js';
import { DOWN, type RegistryHost, registryHost, UP } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { together } from '../../support/statements.js';
import { proofPaths } from '../../support/sums.js';
import { timeFromNow } from '../../support/times.js';

shortenRetries();

const [root, online] = await Promise.all([testKey(), testKey()]);

function watched(hosts: readonly RegistryHost[], options: Partial<IssuerLookupOptions> = {}) {
  const { jwk } = root.rootKey;
  return watchedClient(hosts, (usual) => createIssuerLookup({ ...usual, rootKey: jwk, ...options }));
}

const lookupOf = (hosts: readonly RegistryHost[], options?: Partial<IssuerLookupOptions>) =>
  watched(hosts, options).client;

const IDS = Array.from({ length: 40 }, (_one, index) => `issuer-${index}`);
const issuers = (changes: Readonly<Record<string, 'suspended' | 'revoked'>> = {}) =>
  IDS.map((id) => issuer(id, { status: changes[id] ?? 'active' }));
const POLICY = { tiers: ['certified' as const] };

/** Returns an id that is not listed and whose place in the tree fits, with the number of levels of the tree. */
function absentId(files: Files, isWanted: (leaf: string) => boolean): string {
  const { levels } = statementClaims(files);
  for (let index = 0; ; index++) {
    const id = `absent-${index}`;
    if (isWanted(proofPaths(id, levels).at(-2) as string)) return id;
  }
}

/** The paths that a host was asked for, without those of the statements. */
const proofRequests = ({ log }: RegistryHost) =>
  log.filter((line) => /^(?:sums|issuers)\//.test(line)).sort();

describe('a look-up', () => {
  it('takes two round trips: the statements, then all files of the proof side by side', async () => {
    const host = await registryHost(withStatements(publish(root, issuers(), { levels: 3 })));
    const waiting: (() => void)[] = [];
    const rounds: string[][] = [[]];
    let expected = 1;
    // Nothing is answered before all files of the round have been requested.
    host.intercept = (path, _request, response) => {
      rounds.at(-1)?.push(path);
      waiting.push(() => {
        const body = host.files.get(path);
        response.writeHead(body === undefined ? 404 : 200).end(body);
      });
      if (waiting.length < expected) return true;
      rounds.push([]);
      expected = 5;
      for (const answer of waiting.splice(0)) answer();
      return true;
    };
    await lookupOf([host]).resolve('issuer-1');
    expect(rounds.map((paths) => paths.sort())).toEqual([
      ['statements.json'],
      proofPaths('issuer-1', 3).sort(),
      [],
    ]);
  });

  it('does not wait for files that the proof of an absence does not need', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    const id = absentId(host.files, (leaf) => host.files.has(leaf));
    host.intercept = (path) => path === `issuers/${id}`;
    expect(await lookupOf([host]).resolve(id)).toBeUndefined();
  });

  it.each(['', 'A', 'a..b', 'index', '../root', 'a/b', 'a?b', 'con', 'a'.repeat(129)])(
    'needs no request for %j, which is not an issuer_id',
    async (id) => {
      const host = await registryHost(publish(root, issuers()));
      const lookup = lookupOf([host]);
      expect(await lookup.resolve(id)).toBeUndefined();
      expect((await lookup.decide(id, POLICY)).reasons[0]?.code).toBe('issuer-unknown');
      expect(host.log).toEqual([]);
    },
  );

  it('checks the policy before it sends a request', async () => {
    const host = await registryHost(publish(root, issuers()));
    const lookup = lookupOf([host]);
    await expect(lookup.decide('issuer-1', { tiers: ['gold'] } as never)).rejects.toMatchObject({
      code: 'ERR_POLICY_INVALID',
    });
    expect(host.log).toEqual([]);
  });

  it('decides by the published record, and never by the one that it is given', async () => {
    const lookup = lookupOf([await registryHost(publish(root, issuers({ 'issuer-1': 'revoked' })))]);
    const forged = issuer('issuer-1');
    expect((await lookup.decide(forged, POLICY)).reasons[0]?.code).toBe('status-revoked');
  });

  it('refuses an option that only a client with the list has', () => {
    const options = { sources: ['https://registry.example'], rootKey: root.rootKey.jwk, maxBytes: 1 };
    expect(() => createIssuerLookup(options as never)).toThrow(
      expect.objectContaining({ code: 'ERR_OPTIONS_INVALID', option: 'maxBytes' }),
    );
  });
});

describe('requests', () => {
  it('are sent once: what has been verified is kept', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    const lookup = lookupOf([host]);
    await lookup.resolve('issuer-1');
    const sent = host.log.length;
    await lookup.resolve('issuer-1');
    await lookup.decide('issuer-1', POLICY);
    expect(host.log.length).toBe(sent);
  });

  it('are shared by concurrent look-ups', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    const lookup = lookupOf([host]);
    const found = await Promise.all([...IDS, ...IDS].map((id) => lookup.resolve(id)));
    expect(found.map((one) => one?.issuer_id)).toEqual([...IDS, ...IDS]);
    expect(new Set(host.log).size).toBe(host.log.length);
  });

  it('after a change elsewhere are only for files whose hashes have changed', async () => {
    const host = await registryHost(publish(root, issuers(), { levels: 1 }));
    const lookup = lookupOf([host]);
    for (const id of IDS) await lookup.resolve(id);
    const changes = { 'issuer-9': 'suspended' as const };
    host.files = publish(root, issuers(changes), { levels: 1, updatedAt: timeFromNow(-30) });
    host.log.length = 0;
    await lookup.refresh();
    for (const id of IDS) await lookup.resolve(id);
    expect(proofRequests(host)).toEqual(
      proofPaths('issuer-9', 1)
        .map((path) => `${path} 200`)
        .sort(),
    );
    expect((await lookup.resolve('issuer-9'))?.status).toBe('suspended');
  });

  it('are sent for new statements once the refresh interval has passed', async () => {
    let now = Date.now();
    const host = await registryHost(publish(root, issuers()));
    const lookup = lookupOf([host], { refreshInterval: 60, now: () => now });
    await lookup.resolve('issuer-1');
    host.files = publish(root, issuers({ 'issuer-1': 'revoked' }), { updatedAt: timeFromNow(-30) });
    now += 30_000;
    expect((await lookup.resolve('issuer-1'))?.status).toBe('active');
    now += 31_000;
    expect((await lookup.resolve('issuer-1'))?.status).toBe('revoked');
  });

  it('are sent again if the clock was set back', async () => {
    let now = Date.now();
    const host = await registryHost(publish(root, issuers()));
    const lookup = lookupOf([host], { now: () => now });
    await lookup.resolve('issuer-1');
    host.files = publish(root, issuers({ 'issuer-1': 'revoked' }), { updatedAt: timeFromNow(-30) });
    now -= 120_000;
    expect((await lookup.resolve('issuer-1'))?.status).toBe('revoked');
  });

  it('cold, of a registry with a checkpoint, have at most 10 kB of bodies', async () => {
    const many = Array.from({ length: 1_000 }, (_one, index) =>
      issuer(`${index}-an-issuer-with-24-characters`.slice(0, 24)),
    );
    const files = await withCheckpoint(publish(root, many), root, online);
    const served = together(files);
    const host = await registryHost(files);
    const sizes: number[] = [];
    for (const { issuer_id } of many.slice(0, 20)) {
      host.log.length = 0;
      const lookup = lookupOf([host]);
      expect((await lookup.resolve(issuer_id))?.issuer_id).toBe(issuer_id);
      const bodies = host.log.map((line) => served.get(line.split(' ')[0] ?? '')?.length ?? 0);
      sizes.push(bodies.reduce((sum, size) => sum + size, 0));
    }
    expect(sizes.sort((a, b) => a - b)[10]).toBeLessThanOrEqual(10_000);
  });
});

describe('freshness', () => {
  it('without a source: the statements are used within the grace period, and then nothing is', async () => {
    const files = publish(root, issuers());
    // A clock that begins after everything is signed, and times that count from it, however long signing takes.
    let now = Date.now();
    const checked = () => {
      const seconds = Math.floor(now / 1000);
      return withCheckpoint(files, root, online, { iat: seconds, exp: seconds + 3600 });
    };
    const host = await registryHost(await checked());
    const lookup = lookupOf([host], { now: () => now, grace: 600, clockTolerance: 0 });
    await lookup.resolve('issuer-1');
    host.intercept = DOWN;
    now += 3600_000 + 500_000;
    expect((await lookup.resolve('issuer-1'))?.issuer_id).toBe('issuer-1');
    expect(lookup.status().errors[host.base]?.code).toBe('ERR_SOURCE_STATUS');
    now += 200_000;
    await expect(lookup.resolve('issuer-1')).rejects.toMatchObject({ code: 'ERR_REGISTRY_STALE' });
    expect(() => lookup.updatedAt).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_STALE' }));
    host.intercept = UP;
    host.files = await checked();
    now += 60_000;
    expect(await codeOf(lookup.resolve('issuer-1'))).toBe('accepted');
  });

  it('asks the source of its statements first for proofs: a source that failed may fail or hang again', async () => {
    const files = publish(root, issuers(), { levels: 1 });
    const [one, two] = [await registryHost(files), await registryHost(files)];
    one.intercept = DOWN;
    const lookup = lookupOf([one, two]);
    await lookup.ready();
    expect(lookup.status().source).toBe(two.base);
    one.intercept = (path) => /^(?:sums|issuers)\//.test(path);
    one.log.length = 0;
    for (const id of ['issuer-1', 'issuer-2', 'nobody']) await lookup.resolve(id);
    expect(one.log).toEqual([]);
    two.intercept = DOWN;
    one.intercept = UP;
    expect((await lookup.resolve('issuer-3'))?.issuer_id).toBe('issuer-3');
  });
});

describe('a store', () => {
  it('asks the sources before the first answer, and answers from the stored head if they fail', async () => {
    const store = memoryStore();
    const host = await registryHost(publish(root, issuers()));
    await lookupOf([host], { store }).resolve('issuer-1');
    host.files = publish(root, issuers({ 'issuer-1': 'revoked' }), { updatedAt: timeFromNow(-30) });
    expect((await lookupOf([host], { store }).resolve('issuer-1'))?.status).toBe('revoked');
    host.intercept = (path, request, response) =>
      path.startsWith('statements.json') ? DOWN(path, request, response) : false;
    expect((await lookupOf([host], { store }).resolve('issuer-1'))?.status).toBe('revoked');
  });

  it.each([
    ['refresh() alone', (one: { refresh(): Promise<void> }) => [one.refresh()]],
    ['ready() and refresh() at once', (one) => [one.ready(), one.refresh()]],
    ['refresh() and ready() at once', (one) => [one.refresh(), one.ready()]],
  ] as const satisfies [string, (one: RegistryClient | IssuerLookup) => Promise<void>[]][])(
    'is read before the sources are asked: %s',
    async (_name, start) => {
      const newer = publish(root, issuers({ 'issuer-1': 'revoked' }));
      const older = publish(root, issuers(), { updatedAt: timeFromNow(-90) });
      for (const make of [createRegistryClient, createIssuerLookup]) {
        const store = memoryStore();
        // A store on a slow disk.
        const load = () => new Promise((resolve) => setTimeout(resolve, 20)).then(() => store.load());
        const host = await registryHost(newer);
        const options = { sources: [host.base], rootKey: root.rootKey.jwk, store: { ...store, load } };
        const before = make(options);
        closedAfterTest(before);
        await before.ready();
        before.close();
        const saved = await store.load();
        host.files = older;
        const after = make(options);
        closedAfterTest(after);
        const results = await Promise.allSettled(start(after));
        await after.refresh().catch(() => undefined);
        expect(results.some(({ status }) => status === 'rejected')).toBe(true);
        expect(after.status().errors[host.base]?.code).toBe('ERR_PUBLICATION_ROLLED_BACK');
        expect([after.status().source, after.status().updatedAt]).toEqual([
          'store',
          before.status().updatedAt,
        ]);
        expect(await store.load()).toEqual(saved);
      }
    },
  );

  it('does not bring back an older list than a source had in the meantime', async () => {
    const older = publish(root, issuers(), { updatedAt: timeFromNow(-90) });
    const newer = publish(root, issuers({ 'issuer-1': 'revoked' }));
    for (const make of [createRegistryClient, createIssuerLookup]) {
      const store = memoryStore();
      const host = await registryHost(older);
      const options = { sources: [host.base], rootKey: root.rootKey.jwk };
      const before = make({ ...options, store });
      closedAfterTest(before);
      await before.ready();
      host.files = newer;
      let respond = () => {};
      const slow = new Promise<void>((resolve) => {
        respond = resolve;
      });
      const after = make({ ...options, store: { ...store, load: () => slow.then(() => store.load()) } });
      closedAfterTest(after);
      const starts = [after.ready(), after.refresh()];
      // Without the rule, the refresh would not wait for the store.
      await Promise.race([starts[1], new Promise((resolve) => setTimeout(resolve, 250))]);
      respond();
      await Promise.all(starts);
      expect(after.status().updatedAt).toBe(statementClaims(newer)['updated_at']);
      expect(after.status().source).toBe(host.base);
    }
  });

  it('of a look-up has no list: a client of the whole list says so, and loads the list', async () => {
    const store = memoryStore();
    const host = await registryHost(publish(root, issuers()));
    await lookupOf([host], { store }).resolve('issuer-1');
    const stored = await store.load();
    expect(Object.keys(stored ?? {}).sort()).toEqual(['statements', 'version']);
    const events: RegistryEvent[] = [];
    const onEvent = (event: RegistryEvent) => events.push(event);
    const client = createRegistryClient({ sources: [host.base], rootKey: root.rootKey.jwk, store, onEvent });
    closedAfterTest(client);
    await client.ready();
    expect(client.list()).toHaveLength(IDS.length);
    expect(events[0]).toMatchObject({ type: 'store-failed', error: { code: 'ERR_BUNDLE_INVALID' } });
    expect((await store.load())?.list).toBeDefined();
    await expect(
      openRegistry(stored as never, { rootKey: root.rootKey.jwk, maxAge: 3600 }),
    ).rejects.toMatchObject({ code: 'ERR_BUNDLE_INVALID' });
  });

  describe('from which no answer can come', () => {
    /** Fills a store. */
    async function filledBy(make: typeof createRegistryClient | typeof createIssuerLookup, files: Files) {
      const store = memoryStore();
      const host = await registryHost(files);
      const one = make({ sources: [host.base], rootKey: root.rootKey.jwk, store });
      await one.ready();
      one.close();
      return { store, host, saved: await store.load() };
    }

    it('without a list guards against a rollback of the whole list', async () => {
      const held = publish(root, issuers());
      const { store, host, saved } = await filledBy(
        createIssuerLookup,
        await withCheckpoint(held, root, online),
      );
      const client = createRegistryClient({ sources: [host.base], rootKey: root.rootKey.jwk, store });
      closedAfterTest(client);
      const older = publish(root, issuers(), { updatedAt: timeFromNow(-90) });
      host.files = await withCheckpoint(older, root, online);
      expect(await codeOf(client.ready())).toBe('ERR_PUBLICATION_ROLLED_BACK');
      expect(() => client.list()).toThrow(expect.objectContaining({ code: 'ERR_REGISTRY_NOT_READY' }));
      expect(await store.load()).toEqual(saved);
      host.files = await withCheckpoint(held, root, online);
      await client.refresh();
      expect(client.list()).toHaveLength(IDS.length);
      expect((await store.load())?.list).toBeDefined();
    });

    it('because its list was altered guards by its statement', async () => {
      const held = publish(root, issuers());
      const { store, host, saved } = await filledBy(createRegistryClient, held);
      await store.save({ ...(saved as StoredPublication), list: '{}' });
      host.files = publish(root, issuers(), { updatedAt: timeFromNow(-90) });
      const client = createRegistryClient({ sources: [host.base], rootKey: root.rootKey.jwk, store });
      closedAfterTest(client);
      expect(await codeOf(client.ready())).toBe('ERR_PUBLICATION_ROLLED_BACK');
    });
  });
});
