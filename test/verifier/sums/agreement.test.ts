import { createIssuerLookup, memoryStore, type TrustPolicy } from '@passport-registry/verifier';
import { expect, it } from 'vitest';
import { type ChangingRegistry, changingRegistry, idsFrom } from '../../support/changing-registry.js';
import { closedAfterTest } from '../../support/clients.js';
import fc from '../../support/fast-check.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';

shortenRetries();

const POLICY: TrustPolicy = { tiers: ['certified'] };

/** A publication that changes some records. */
const STEP = fc.record({
  changed: fc.array(fc.nat(), { maxLength: 4 }),
  added: fc.array(
    fc.nat({ max: 50 }).map((number) => `added-${number}`),
    { maxLength: 3 },
  ),
  removed: fc.array(fc.nat(), { maxLength: 3 }),
  status: fc.constantFrom('active', 'suspended', 'revoked'),
  levels: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 2, 3),
  /** Whether the clients see this publication, or only a later one. */
  isSeen: fc.boolean(),
});
type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never;

const REGISTRY = fc.record({
  // Small lists are downloaded whole.
  size: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 150, max: 300 }), fc.constant(300)),
  steps: fc.array(STEP, { minLength: 1, maxLength: 8 }),
});

function publishStep(registry: ChangingRegistry, { changed, added, removed, status, levels }: Step) {
  const { records } = registry;
  const before = [...records.keys()];
  for (const index of removed) records.delete(before[index % before.length] ?? '');
  for (const index of changed) {
    const id = before[index % before.length];
    if (id !== undefined && records.has(id)) registry.change(id, { status });
  }
  for (const id of added) registry.change(id, { status });
  return registry.publish(levels === undefined ? {} : { levels });
}

it('look-ups, a client that follows changes, and one that loads the list agree with what is published', async () => {
  const refreshes = { followed: 0, downloaded: 0 };
  await fc.assert(
    fc.asyncProperty(REGISTRY, async ({ size, steps }) => {
      const registry = await changingRegistry(idsFrom(0, size));
      const { key, host, records } = registry;
      const newLookup = () =>
        closedAfterTest(createIssuerLookup({ sources: [host.base], rootKey: key.rootKey.jwk }));
      const store = memoryStore();
      const lookup = newLookup();
      const clients = [{}, { store }].map((options) => closedAfterTest(registry.client(options)));
      await Promise.all([lookup, ...clients].map((one) => one.ready()));
      for (const step of steps) {
        const before = [...records.keys()];
        await publishStep(registry, step);
        if (!step.isSeen) continue;
        registry.sent();
        await Promise.all([lookup, ...clients].map((one) => one.refresh()));
        const hasList = registry.sent().some((path) => path.startsWith('lists/'));
        refreshes[hasList ? 'downloaded' : 'followed'] += 1;

        const whole = closedAfterTest(registry.client());
        await whole.ready();
        expect(whole.list()).toEqual(
          [...records.values()].sort((a, b) => (a.issuer_id < b.issuer_id ? -1 : 1)),
        );
        for (const client of clients) expect(client.list()).toEqual(whole.list());
        expect((await store.load())?.list).toBe(registry.list.toString());
        for (const id of [...before, ...records.keys(), 'nobody']) {
          for (const one of [whole, ...clients]) expect(one.resolve(id), id).toEqual(records.get(id));
        }

        const { updatedAt, sha256 } = whole;
        const cold = newLookup();
        for (const id of [...before.slice(0, 12), ...step.added, 'nobody', 'NO-ID']) {
          const decision = whole.decide(id, POLICY);
          expect(decision.accepted).toBe(records.get(id)?.status === 'active');
          for (const client of clients) expect(client.decide(id, POLICY), id).toEqual(decision);
          // A look-up also names its list, except if there is no such issuer_id, and so nothing to ask.
          const proven = { ...decision, registry: id === 'NO-ID' ? undefined : { updatedAt, sha256 } };
          for (const one of [lookup, cold]) {
            expect(await one.resolve(id), id).toEqual(records.get(id));
            expect(await one.decide(id, POLICY), id).toEqual(proven);
          }
        }
        for (const one of [...clients, lookup, cold])
          expect([one.updatedAt, one.sha256]).toEqual([updatedAt, sha256]);
        for (const one of [whole, cold]) one.close();
      }
    }),
    { numRuns: rounds({ usual: 10, soak: 200 }) },
  );
  // Both ways to a new list were taken.
  expect(Math.min(refreshes.followed, refreshes.downloaded)).toBeGreaterThan(0);
}, 900_000);
