import {
  createIssuerLookup,
  createRegistryClient,
  memoryStore,
  openRegistry,
  type RegistryEvent,
  type RegistryStore,
} from '@passport-registry/verifier';
import { beforeEach, describe, expect, it } from 'vitest';
import { closedAfterTest } from '../../support/clients.js';
import {
  checkpoint,
  type Files,
  issuer,
  publish,
  type TestKey,
  testKey,
  withOnlineKey,
} from '../../support/publication.js';
import { type RegistryHost, registryHost } from '../../support/registry-host.js';
import { copyIn } from '../../support/sources.js';
import { storedMembers } from '../../support/statements.js';

const POLICY = { tiers: ['certified' as const] };
const ALLOWING = { ...POLICY, allow: [{ issuer_id: 'a', reason: 'known for years' }] };
const MADE = Math.floor(Date.now() / 1000) - 1000;

const [root, online] = await Promise.all([testKey(), testKey('p256')]);
let host: RegistryHost;

interface Held {
  readonly hold?: readonly string[];
  /** Seconds after the first checkpoint. */
  readonly later?: number;
  /** The number of the list. */
  readonly sequence?: number;
  readonly by?: TestKey;
}

/** A registry with the active issuers `a` and `b`, and with a checkpoint that may hold some. */
async function registry({ hold, later = 0, sequence = 1, by = root }: Held = {}): Promise<Files> {
  const issuers = [issuer('a'), issuer('b'), issuer(`list-${sequence}`)];
  // The same in each second of the test: a statement of one sequence names one list.
  const updatedAt = new Date((MADE - 2000 + sequence) * 1000).toISOString().replace('.000Z', 'Z');
  const plain = publish(by, issuers, { updatedAt, sequence });
  const files = withOnlineKey(plain, by, online, { exp: MADE + 90_000, hold: true });
  const claims = { iat: MADE + later, ...(hold !== undefined && { hold: [...hold] }) };
  return files.set('checkpoint.jwt', Buffer.from(await checkpoint(files, online, claims)));
}

beforeEach(async () => {
  host = await registryHost(await registry());
});

interface Kind {
  readonly name: string;
  readonly create: typeof createRegistryClient | typeof createIssuerLookup;
}
const KINDS: readonly Kind[] = [
  { name: 'a client with the whole list', create: createRegistryClient },
  { name: 'a look-up of single issuers', create: createIssuerLookup },
];

function clientOf(create: Kind['create'], store: RegistryStore = memoryStore(), sources = [host.base]) {
  return closedAfterTest(create({ sources, rootKey: root.rootKey.jwk, store, timeout: 60 }));
}

type Client = ReturnType<typeof clientOf>;

const codes = async (client: Pick<Client, 'decide'>, id: string, policy = POLICY as typeof ALLOWING) =>
  (await client.decide(id, policy)).reasons.map(({ code }) => code);

/** Serves files to a client. Returns `accepted`, or the error code of the source. */
async function read(client: Client, files: Files): Promise<string> {
  host.files = files;
  return client.refresh().then(
    () => 'accepted',
    (error) => error.errors[host.base].code,
  );
}

describe.each(KINDS)('$name', ({ create }) => {
  it('rejects a held issuer, whatever list and policy say, and returns its record as signed', async () => {
    const client = clientOf(create);
    await client.ready();
    expect(await codes(client, 'a')).toEqual(['policy-met']);
    expect(client.hold).toEqual([]);
    expect(await read(client, await registry({ hold: ['a', 'unlisted'], later: 1 }))).toBe('accepted');
    expect(client.hold).toEqual(['a', 'unlisted']);
    expect(await client.decide('a', POLICY)).toMatchObject({
      accepted: false,
      reasons: [{ code: 'issuer-held' }],
      issuer: { issuer_id: 'a', status: 'active' },
    });
    expect(await codes(client, 'a', ALLOWING)).toEqual(['issuer-held']);
    expect((await client.decide(issuer('a'), POLICY)).accepted).toBe(false);
    expect((await client.resolve('a'))?.status).toBe('active');
    expect(await codes(client, 'b')).toEqual(['policy-met']);
    expect(await codes(client, 'unlisted')).toEqual(['issuer-unknown']);
  });

  it('gives away nothing that a caller can change: neither a record nor the hold', async () => {
    const client = clientOf(create);
    expect(await read(client, await registry({ hold: ['b'] }))).toBe('accepted');
    const { issuer } = await client.decide('a', POLICY);
    const given = [await client.resolve('a'), issuer, await client.resolve('b'), client.hold];
    for (const value of given) expect(Object.isFrozen(value)).toBe(true);
    expect(Object.isFrozen(issuer?.geographical_scope)).toBe(true);
  });

  it('tells of a hold when it begins, changes and ends', async () => {
    const told: (readonly string[])[] = [];
    const onEvent = (event: RegistryEvent) => event.type === 'hold-changed' && told.push(event.hold);
    const options = { sources: [host.base], rootKey: root.rootKey.jwk, timeout: 60, onEvent };
    const client = closedAfterTest(create(options));
    await client.ready();
    const holds: (readonly string[] | undefined)[] = [['a'], ['a'], ['a', 'b'], undefined, undefined];
    for (const [later, hold] of holds.entries())
      expect(await read(client, await registry({ ...(hold && { hold }), later: later + 1 }))).toBe(
        'accepted',
      );
    expect(told).toEqual([['a'], ['a', 'b'], []]);
  });

  it('saves a hold that comes with an unchanged list', async () => {
    const store = memoryStore();
    const client = clientOf(create, store);
    await client.ready();
    await read(client, await registry({ hold: ['a'], later: 2 }));
    const saved = storedMembers(await store.load()).checkpoint?.split('.')[1] ?? '';
    expect(JSON.parse(Buffer.from(saved, 'base64url').toString()).hold).toEqual(['a']);
  });

  it('keeps the hold if a mirror is late, and works with what the mirror serves', async () => {
    const mirror = await registryHost(await registry());
    const client = clientOf(create, memoryStore(), [host.base, mirror.base]);
    host.files = await registry({ hold: ['a'], later: 2 });
    await client.refresh();
    host.files = new Map();
    await expect(client.refresh()).rejects.toThrow('ERR_CHECKPOINT_ROLLED_BACK');
    expect(await codes(client, 'a')).toEqual(['issuer-held']);
    expect(await codes(client, 'b')).toEqual(['policy-met']);
  });
});

describe('a registry view', () => {
  it('lists a held issuer as suspended, and not as active', async () => {
    host.files = await registry({ hold: ['a'] });
    const client = closedAfterTest(
      createRegistryClient({ sources: [host.base], rootKey: root.rootKey.jwk, timeout: 60 }),
    );
    await client.ready();
    const idsOf = (statuses: ('active' | 'suspended' | 'revoked')[]) =>
      client.list({ statuses }).map(({ issuer_id }) => issuer_id);
    expect(idsOf(['active'])).toEqual(['b', 'list-1']);
    expect(idsOf(['suspended'])).toEqual(['a']);
    expect(client.list().find(({ issuer_id }) => issuer_id === 'a')?.status).toBe('active');
  });

  it('of an offline copy knows the holds of the copy', async () => {
    const files = await registry({ hold: ['a'] });
    const opened = await openRegistry(copyIn(files), { rootKey: root.rootKey.jwk, maxAge: 24 * 60 * 60 });
    expect(opened.hold).toEqual(['a']);
    expect(opened.decide('a', POLICY).reasons).toMatchObject([{ code: 'issuer-held' }]);
    expect(opened.decide('b', POLICY).accepted).toBe(true);
  });
});
