import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import {
  type IssuerRegistry,
  memoryStore,
  openRegistry,
  type RegistryClient,
  type StoredPublication,
  type TrustPolicy,
} from '@passport-registry/verifier';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type ChangingRegistry, changingRegistry, idsFrom } from '../../support/changing-registry.js';
import { closedAfterTest } from '../../support/clients.js';
import { ROOT } from '../../support/paths.js';
import { type Files, stated, statementClaims } from '../../support/publication.js';
import { resummed } from '../../support/resummed.js';
import { sha256 } from '../../support/sha256.js';
import { shortenRetries } from '../../support/short-retries.js';
import { STATEMENT_PATHS, together } from '../../support/statements.js';
import { placeOf, proofPaths } from '../../support/sums.js';

shortenRetries();

const IDS = idsFrom(0, 300);
const ONE = 'issuer-00007';
const POLICY: TrustPolicy = { tiers: ['certified'] };

let original: ChangingRegistry;
let registry: ChangingRegistry;
let client: RegistryClient;

beforeAll(async () => {
  original = await changingRegistry(IDS);
});

beforeEach(async () => {
  registry = await original.copy();
  client = await ready();
});

/** Creates a client with the published list. Nothing that was sent to it counts. */
async function ready(options: Parameters<ChangingRegistry['client']>[0] = {}): Promise<RegistryClient> {
  const one = closedAfterTest(registry.client(options));
  await one.ready();
  registry.sent();
  return one;
}

const published = () => (JSON.parse(registry.list.toString()) as IssuerRegistry).issuers;
const lists = (sent: readonly string[]) => sent.filter((path) => /^(?:issuers\.json|lists\/)/.test(path));
const records = (sent: readonly string[]) => sent.filter((path) => path.startsWith('issuers/'));
const sums = (sent: readonly string[]) => sent.filter((path) => path.startsWith('sums/'));

/** The statements of a publication, as files of their own. */
const statementsOf = (files: Files) =>
  [...files].filter(([path]) => path === STATEMENT_PATHS.publication || path === STATEMENT_PATHS.checkpoint);

/** Expects that a client has exactly the published list. */
function expectCurrent(one: RegistryClient): void {
  const { updated_at } = JSON.parse(registry.list.toString());
  expect(one.sha256).toBe(registry.sha256);
  expect(one.updatedAt).toBe(updated_at);
  const records = published();
  expect(one.list()).toEqual(records);
  expect(records.map(({ issuer_id }) => one.resolve(issuer_id))).toEqual(records);
}

describe('a client that holds a list', () => {
  it('requests the sums on the way to a changed record, and the record', async () => {
    registry.change(ONE);
    await registry.publish();
    await client.refresh();
    expect(registry.sent()).toEqual(['statements.json', ...proofPaths(ONE, 1)]);
    expectCurrent(client);
    expect(client.decide(ONE, POLICY)).toMatchObject({
      accepted: false,
      reasons: [{ code: 'status-suspended' }],
    });
  });

  it('follows records that are added and removed', async () => {
    registry.records.delete('issuer-00000');
    registry.records.delete('issuer-00150');
    registry.change('a', {});
    registry.change('zz', {});
    registry.change('issuer-00151');
    await registry.publish();
    await client.refresh();
    const sent = registry.sent();
    expect(lists(sent)).toEqual([]);
    expect(records(sent).sort()).toEqual(['issuers/a', 'issuers/issuer-00151', 'issuers/zz']);
    expectCurrent(client);
    expect(client.resolve('issuer-00000')).toBeUndefined();
    expect(client.decide('issuer-00150', POLICY).reasons[0]?.code).toBe('issuer-unknown');
  });

  it('needs no record for records that are removed, and none for a list that only has a new date', async () => {
    registry.records.delete(ONE);
    await registry.publish();
    await client.refresh();
    expect(records(registry.sent())).toEqual([]);
    expectCurrent(client);
    await registry.publish();
    await client.refresh();
    expect(registry.sent()).toEqual(['statements.json']);
    expectCurrent(client);
  });

  it('gives each reader the list before the change, or the list after it', async () => {
    const pair = ['issuer-00001', 'issuer-00288'] as const;
    let seen = 0;
    let reading = true;
    const read = async () => {
      while (reading) {
        const statuses = pair.map((id) => client.resolve(id)?.status);
        expect(statuses[0]).toBe(statuses[1]);
        const [first, second] = pair.map((id) => client.list().find((one) => one.issuer_id === id)?.status);
        expect(first).toBe(second);
        seen += 1;
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const reader = read();
    for (const status of ['suspended', 'active', 'suspended'] as const) {
      for (const id of pair) registry.change(id, { status });
      await registry.publish();
      await client.refresh();
    }
    reading = false;
    await reader;
    expect(seen).toBeGreaterThan(3);
    expectCurrent(client);
  });

  it('does not change an array that a caller has', async () => {
    const before = client.list();
    const copy = [...before];
    registry.change(ONE);
    registry.records.delete('issuer-00000');
    await registry.publish();
    await client.refresh();
    expect(before).toEqual(copy);
    expect(before.find((one) => one.issuer_id === ONE)?.status).toBe('active');
  });

  it('downloads a list of which more than about a quarter has changed, and follows from there', async () => {
    for (const id of IDS.slice(0, 10)) registry.change(id);
    await registry.publish();
    await client.refresh();
    expect(lists(registry.sent())).toEqual([]);
    for (const id of IDS.slice(100, 200)) registry.change(id);
    await registry.publish();
    await client.refresh();
    const sent = registry.sent();
    expect(lists(sent)).toHaveLength(1);
    expect(records(sent)).toEqual([]);
    expectCurrent(client);
    registry.change(ONE, { tier: 'founding' });
    await registry.publish();
    await client.refresh();
    expect(lists(registry.sent())).toEqual([]);
    expectCurrent(client);
  });

  it('requests no record of a list if the records would take more than a quarter of it', async () => {
    const together = IDS.filter((id) => /^[01]/.test(placeOf(id)));
    for (const id of together) registry.change(id);
    await registry.publish();
    await client.refresh();
    const sent = registry.sent();
    expect(sums(sent)).toHaveLength(3);
    expect(records(sent)).toEqual([]);
    expect(lists(sent)).toHaveLength(1);
    expectCurrent(client);
  });

  it('keeps to maxBytes, although the list itself is not downloaded', async () => {
    const small = await ready({ maxBytes: registry.list.length });
    registry.change(ONE, { tier: 'registered' });
    registry.change('zz', {});
    await registry.publish();
    await expect(small.refresh()).rejects.toThrow();
    expect(Object.values(small.status().errors)[0]?.code).toBe('ERR_SOURCE_TOO_LARGE');
    expect(small.resolve('zz')).toBeUndefined();
    const enough = await ready({ maxBytes: registry.list.length });
    expect(enough.resolve('zz')).toBeDefined();
  });
});

describe('the number of levels', () => {
  it.each([
    [0, 1],
    [1, 2],
    [2, 1],
    [1, 0],
    [0, 3],
  ])('may change from %i to %i', async (before, after) => {
    registry = await changingRegistry(IDS, { levels: before });
    client = await ready();
    registry.change(ONE);
    registry.records.delete('issuer-00100');
    await registry.publish({ levels: after });
    await client.refresh();
    const sent = registry.sent();
    expect(lists(sent)).toEqual([]);
    expect(records(sent)).toEqual([`issuers/${ONE}`]);
    expectCurrent(client);
    registry.change('issuer-00200');
    await registry.publish({ levels: after });
    await client.refresh();
    expect(lists(registry.sent())).toEqual([]);
    expectCurrent(client);
  });

  it('may be so large that records have leaves of their own, which come and go', async () => {
    registry = await changingRegistry(IDS, { levels: 3 });
    client = await ready();
    registry.records.delete(IDS[0] as string);
    registry.change('zz', {});
    await registry.publish({ levels: 3 });
    await client.refresh();
    expect(lists(registry.sent())).toEqual([]);
    expectCurrent(client);
    // The record is as it was before. Its old leaf must be forgotten.
    registry.change(IDS[0] as string, {});
    registry.records.delete('zz');
    await registry.publish({ levels: 3 });
    await client.refresh();
    expect(lists(registry.sent())).toEqual([]);
    expectCurrent(client);
  });
});

describe('a source with files of different publications', () => {
  it.each(proofPaths(ONE, 1))('is asked again for %s, past its cache', async (stale) => {
    const old = registry.host.files.get(stale);
    registry.change(ONE);
    await registry.publish();
    registry.host.intercept = (path, _request, response) => {
      if (path === stale) response.writeHead(200).end(old);
      return path === stale;
    };
    await client.refresh();
    const sent = registry.sent();
    expect(sent.filter((path) => path.startsWith(stale))).toEqual([
      stale,
      `${stale}?${sha256(registry.host.files.get(stale) as Buffer)}`,
    ]);
    expect(lists(sent)).toEqual([]);
    expectCurrent(client);
  });

  it.each([
    ['an error', 500],
    ['a redirect', 302],
  ])('gives the whole list if it answers with %s', async (_what, status) => {
    registry.change(ONE);
    await registry.publish();
    registry.host.intercept = (path, _request, response) => {
      if (path.startsWith('sums/')) response.writeHead(status, { Location: '/' }).end();
      return path.startsWith('sums/');
    };
    await client.refresh();
    expectCurrent(client);
  });

  it('does not stop another source', async () => {
    const other = await changingRegistry([]);
    const both = await ready({ sources: [registry.host.base, other.host.base] });
    const old = registry.host.files;
    registry.change(ONE);
    const files = await registry.publish();
    other.host.files = files;
    registry.host.files = new Map([...old, ...statementsOf(files)]);
    await both.refresh();
    expect(lists(other.sent())).toEqual([]);
    expect(both.resolve(ONE)?.status).toBe('suspended');
    registry.host.files = files;
    expectCurrent(both);
  });
});

describe('an operator whose sums do not belong to the list', () => {
  const canonical = () => registry.host.files.get(`issuers/${ONE}`)?.toString() as string;

  it('gives the whole list: other levels than those of the tree', async () => {
    registry.change(ONE);
    const files = await registry.publish();
    const claims = { ...statementClaims(files), levels: 2 };
    registry.host.files = stated(files, registry.key, claims);
    await client.refresh();
    expect(lists(registry.sent())).toHaveLength(1);
    expectCurrent(client);
  });

  it('gives the whole list as long as the sums of the held list are wrong', async () => {
    const path = `issuers/${ONE}`;
    const wrong = resummed(await registry.publish(), registry.key, {
      id: ONE,
      path,
      bytes: Buffer.from(canonical().replace('active', 'revoked')),
    });
    registry.host.files = wrong;
    const deceived = await ready();
    registry.change('issuer-00008');
    await registry.publish();
    await deceived.refresh();
    expect(lists(registry.sent())).toHaveLength(1);
    expectCurrent(deceived);
    registry.change('issuer-00009');
    await registry.publish();
    await deceived.refresh();
    expect(lists(registry.sent())).toEqual([]);
    expectCurrent(deceived);
  });
});

describe('a store', () => {
  it('gets the bytes that were signed, with their statements', async () => {
    const store = memoryStore();
    const stored = await ready({ store });
    registry.change(ONE);
    registry.records.delete('issuer-00299');
    registry.change('zz', {});
    await registry.publish();
    await stored.refresh();
    const sent = registry.sent();
    expect(lists(sent)).toEqual([]);
    const saved = await store.load();
    expect(saved).toEqual({
      version: 1,
      statements: String(together(registry.host.files).get('statements.json')),
      list: registry.list.toString(),
    });
    const rootKey = registry.key.rootKey.jwk;
    const opened = await openRegistry(saved as StoredPublication, { rootKey, maxAge: 1e9 });
    expect(opened.list()).toEqual(published());
    // The next client continues from there.
    registry.change('issuer-00008');
    await registry.publish();
    const next = await ready({ store });
    await next.refresh();
    expect(lists(registry.sent())).toEqual([]);
    expectCurrent(next);
    expect((await store.load())?.list).toBe(registry.list.toString());
  });

  it.each([287, 288, 289])(
    'gets the bytes of a list of %i issuers, which are encoded in parts of 16',
    async (size) => {
      const store = memoryStore();
      const stored = await ready({ store });
      for (const id of IDS.slice(size)) registry.records.delete(id);
      await registry.publish();
      await stored.refresh();
      expect(lists(registry.sent())).toEqual([]);
      expect((await store.load())?.list).toBe(registry.list.toString());
    },
  );

  it('never gets a list that is not the signed one', async () => {
    const store = memoryStore();
    const stored = await ready({ store });
    const before = await store.load();
    registry.change(ONE);
    const files = await registry.publish();
    // The sums and the statement agree, and the hash of the list is another.
    const claims = { ...statementClaims(files), sha256: '0'.repeat(64) };
    registry.host.files = stated(files, registry.key, claims);
    await expect(stored.refresh()).rejects.toThrow();
    expect(Object.values(stored.status().errors)[0]?.code).toBe('ERR_PUBLICATION_MISMATCH');
    expect(await store.load()).toEqual(before);
    expect(stored.resolve(ONE)?.status).toBe('active');
  });
});

describe('the tree of sums of the held list', () => {
  const run = promisify(execFile);
  const script = (body: string) => `
    import { createRegistryClient } from '@passport-registry/verifier';
    let turns = 0;
    let turnsBeforeSums = 0;
    const client = createRegistryClient({
      ...${JSON.stringify({ sources: [registry.host.base], rootKey: registry.key.rootKey.jwk })},
      fetch: async (url, init) => {
        if (url.endsWith('sums/root')) turnsBeforeSums = turns;
        const response = await fetch(url, init);
        turns = 0;
        return response;
      },
    });
    await client.ready();
    ${body}`;
  const execute = (body: string) =>
    run(process.execPath, ['--input-type=module', '-e', script(body)], { cwd: ROOT, timeout: 60_000 });

  it('is computed in the background, and does not keep the process alive', async () => {
    registry = await changingRegistry(idsFrom(0, 3000));
    const { stdout } = await execute(`
      const timers = process.getActiveResourcesInfo().filter((name) => name === 'Timeout');
      console.log(client.list().length, timers.length);`);
    expect(stdout.trim()).toBe('3000 0');
  });

  it('keeps the process alive while an update waits for it, and lets other code run', async () => {
    registry = await changingRegistry(idsFrom(0, 5_000));
    const first = registry.host.files;
    registry.change(ONE);
    const files = await registry.publish();
    registry.host.files = first;
    registry.host.intercept = (path) => {
      // From the second request on, the host has the newer publication.
      if (path.startsWith('statements.json')) {
        const statements = registry.host.log.filter((line) => line.startsWith('statements.json')).length;
        registry.host.files = statements === 0 ? first : files;
      }
      return false;
    };
    const { stdout } = await execute(`
      setInterval(() => turns++, 1).unref();
      await client.refresh();
      console.log(client.resolve('${ONE}').status, turnsBeforeSums > 5);`);
    expect(stdout.trim()).toBe('suspended true');
    expect(lists(registry.sent())).toHaveLength(1);
  });

  it('is no longer computed after close()', async () => {
    registry = await changingRegistry(idsFrom(0, 3000));
    client = await ready();
    registry.change(ONE);
    await registry.publish();
    const refreshing = client.refresh();
    client.close();
    await expect(refreshing).rejects.toThrow();
    expect(() => client.resolve(ONE)).not.toThrow();
    expect(client.resolve(ONE)?.status).toBe('active');
    expect(sums(registry.sent())).toEqual([]);
  });
});
