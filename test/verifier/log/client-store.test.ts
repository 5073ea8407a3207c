import { memoryStore, type RegistryStore, type StoredPublication } from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { CLIENTS, type CreateClient, codeOf, logReader } from '../../support/log-clients.js';
import { LoggedRegistry, PROOF } from '../../support/logged-registry.js';
import { testKey } from '../../support/publication.js';
import { shortenRetries } from '../../support/short-retries.js';
import { storedMembers } from '../../support/statements.js';

shortenRetries();

const DAY = 24 * 3600;
const [ACCEPTED, INCONSISTENT] = ['accepted', 'ERR_LOG_INCONSISTENT'];

let registry: LoggedRegistry;
let store: RegistryStore;
beforeEach(async () => {
  registry = new LoggedRegistry(await testKey());
  store = memoryStore();
});

const stored = async () => (await store.load()) as StoredPublication;
const change = async (changes: Partial<StoredPublication>) => store.save({ ...(await stored()), ...changes });
const storedProof = async () => storedMembers(await stored()).log_proof;

/** The kinds of clients before and after a restart. */
const RESTARTS = CLIENTS.flatMap(([name, create]) =>
  CLIENTS.map(([other, createOther]) => [`${name}, restarted as ${other}`, create, createOther] as const),
);

describe.each(RESTARTS)('%s', (_name, create, createOther) => {
  it('knows who has cosigned the log of a list that it cannot use', async () => {
    const reader = await logReader(create, registry, { store });
    expect(await reader.read(await registry.publish())).toBe(ACCEPTED);
    reader.client.close();
    if ('list' in (await stored())) await change({ list: 'damaged' });
    const next = await registry.publish();
    const withoutTiles = new Map([...next].filter(([path]) => !path.startsWith('log/tile/')));
    const restarted = await logReader(createOther, registry, { store });
    expect(await restarted.read(withoutTiles)).toBe(ACCEPTED);
  });

  it('refuses a fork of the log of its list', async () => {
    const reader = await logReader(create, registry, { store });
    registry.log.appendOther(3);
    await reader.read(await registry.publish());
    reader.client.close();
    const fork = registry.fork(1);
    fork.log.append(Buffer.from('something else'), Buffer.from('and more'));
    const files = await fork.publish({ cosigned: fork.cosigning(3) });
    expect(await (await logReader(createOther, registry, { store })).read(files)).toBe(INCONSISTENT);
  });

  it('does not use a stored list without a proof, and still refuses older publications', async () => {
    const older = await registry.publish();
    const reader = await logReader(create, registry, {
      trustAnchor: { root: registry.root.rootKey.jwk },
      store,
    });
    await reader.read(await registry.publish());
    expect(await storedProof()).toBeUndefined();
    const restarted = await logReader(createOther, registry, { store });
    expect(await restarted.read(older)).toBe('ERR_PUBLICATION_ROLLED_BACK');
    expect(restarted.events[0]).toMatchObject({ type: 'store-failed' });
    expect(await restarted.read(registry.files)).toBe(ACCEPTED);
    expect(await storedProof()).toBeDefined();
  });
});

describe.each(CLIENTS)('%s and its store', (_name, create: CreateClient) => {
  it('needs no network for a list that a quorum has cosigned, until the limit of age', async () => {
    const first = await logReader(create, registry, { store });
    await first.read(await registry.publish());
    first.client.close();
    const limit = registry.now + 30 * DAY * 1000 + 3_600_000 + 300_000;
    const offline = async (now: number) => {
      const reader = await logReader(create, registry, { store, timeout: 1 });
      reader.now = now;
      return { reader, verdict: await codeOf(reader.client.ready()) };
    };
    const { reader, verdict } = await offline(limit);
    expect(verdict).toBe(ACCEPTED);
    expect(reader.client.status()).toMatchObject({
      source: 'store',
      logSize: 1,
      cosignedBy: ['one.example', 'two.example'],
      cosignedAt: new Date(registry.now),
    });
    expect((await offline(limit + 1)).verdict).not.toBe(ACCEPTED);
    // After the clock was set back, the list is not lost.
    expect((await offline(registry.now - DAY * 1000)).verdict).toBe(ACCEPTED);
  });

  it('saves newer cosignatures of the same list, and not older ones', async () => {
    const reader = await logReader(create, registry, { store });
    const files = await registry.publish();
    await reader.read(files);
    const first = await stored();
    registry.now += 60_000;
    await reader.read(await registry.prove({ cosigned: registry.cosigning(2) }));
    const second = await stored();
    expect(storedMembers(second)).toEqual({
      ...storedMembers(first),
      log_proof: String(registry.files.get(PROOF)),
    });
    expect(second.list).toBe(first.list);
    expect(second).not.toEqual(first);
    expect(await reader.read(files)).toBe(ACCEPTED);
    expect(await stored()).toEqual(second);
  });
});
