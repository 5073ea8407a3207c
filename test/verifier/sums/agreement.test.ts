import {
  createIssuerLookup,
  createRegistryClient,
  type Issuer,
  type TrustPolicy,
} from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { type Files, issuer, testKey } from '../../support/publication.js';
import { registryHost } from '../../support/registry-host.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { publishSummed } from '../../support/summed-registry.js';

shortenRetries();

/** Few ids, so that changes often meet; two of them begin alike. */
const UNIVERSE = [...Array.from({ length: 40 }, (_one, index) => `id-${index}`), 'id', 'id.x'];
/** Issuers that never change, so that it is cheaper to follow changes than to load the list. */
const OTHERS = Array.from({ length: 120 }, (_one, index) =>
  issuer(`other-${index}`, { policy_uri: `https://policy.example/${'x'.repeat(1000)}` }),
);
const START = Date.parse('2026-11-21T08:00:00Z');
const POLICY: TrustPolicy = { tiers: ['founding', 'certified'] };

const record = fc.record({
  status: fc.constantFrom<Issuer['status']>('active', 'active', 'suspended', 'revoked'),
  tier: fc.constantFrom<Issuer['tier']>('founding', 'certified', 'registered', 'sandbox'),
  policy_uri: fc.constantFrom(undefined, null, 'https://policy.example/'),
});
/** What a publication changes: the record of an id, or undefined to remove it. */
const change = fc.tuple(fc.constantFrom(...UNIVERSE), fc.option(record, { nil: undefined, freq: 4 }));
const publication = fc.record({
  changes: fc.array(change, { maxLength: 8 }),
  levels: fc.constantFrom(0, 1, 1, 1, 2, 3),
  /** Whether the long-lived clients see this publication, or only a later one. */
  seen: fc.boolean(),
});
const history = fc.record({
  first: fc.uniqueArray(change, { maxLength: 40, selector: ([id]) => id }),
  later: fc.array(publication, { minLength: 2, maxLength: 4 }),
});

function apply(
  issuers: Map<string, Issuer>,
  changes: readonly (typeof change extends fc.Arbitrary<infer T> ? T : never)[],
) {
  for (const [id, content] of changes) {
    if (content === undefined) issuers.delete(id);
    else {
      const { policy_uri, ...others } = content;
      issuers.set(id, issuer(id, { ...others, ...(policy_uri !== undefined && { policy_uri }) }));
    }
  }
}

describe('for random registries and random changes', () => {
  it('a look-up, a client that follows changes, and a client that loads the list agree on every issuer', async () => {
    const key = await testKey();
    // The client that follows changes has a host of its own, so that its requests can be counted.
    const [host, followed] = [await registryHost(), await registryHost()];
    let now = START;
    const options = { sources: [host.base], rootKey: key.rootKey.jwk, now: () => now };
    const requests = (path: string) => followed.log.filter((line) => line.startsWith(`${path} `)).length;
    let compared = 0;
    await fc.assert(
      fc.asyncProperty(history, async ({ first, later }) => {
        const issuers = new Map<string, Issuer>();
        now = START;
        let sequence = 0;
        const publish = async (changes: typeof first, levels: number): Promise<Files> => {
          apply(issuers, changes);
          now += 60_000;
          const updatedAt = new Date(now).toISOString().replace('.000', '');
          return publishSummed(key, [...OTHERS, ...issuers.values()], {
            levels,
            updatedAt,
            claims: { sequence: ++sequence },
          });
        };
        host.files = followed.files = await publish(first, 0);
        const [lookup, client] = [
          createIssuerLookup(options),
          createRegistryClient({ ...options, sources: [followed.base] }),
        ];
        await Promise.all([lookup.ready(), client.ready()]);
        for (const { changes, levels, seen } of [
          { changes: [], levels: 1, seen: true },
          ...later,
          { changes: [], levels: 1, seen: true },
        ]) {
          host.files = followed.files = await publish(changes, levels);
          if (!seen) continue;
          await Promise.all([lookup.refresh(), client.refresh()]);
          const [coldLookup, coldClient] = [createIssuerLookup(options), createRegistryClient(options)];
          await coldClient.ready();
          for (const id of [...UNIVERSE, 'nobody', 'NO-ID']) {
            const expected = issuers.get(id);
            const found = [
              await lookup.resolve(id),
              client.resolve(id),
              await coldLookup.resolve(id),
              coldClient.resolve(id),
            ];
            expect(found, id).toEqual([expected, expected, expected, expected]);
            const { updatedAt, sha256 } = coldClient;
            const decision = coldClient.decide(id, POLICY);
            // A look-up also names its list, except if there is no such issuer_id, and so nothing to ask.
            const proven = { ...decision, registry: id === 'NO-ID' ? undefined : { updatedAt, sha256 } };
            expect(client.decide(id, POLICY), id).toEqual(decision);
            expect(await lookup.decide(id, POLICY), id).toEqual(proven);
            expect(await coldLookup.decide(id, POLICY), id).toEqual(proven);
            expect(decision.accepted).toBe(
              expected?.status === 'active' && ['founding', 'certified'].includes(expected.tier),
            );
            compared += 1;
          }
          expect([client.updatedAt, coldLookup.updatedAt, lookup.updatedAt]).toEqual(
            Array(3).fill(coldClient.updatedAt),
          );
          expect([client.sha256, coldLookup.sha256, lookup.sha256]).toEqual(Array(3).fill(coldClient.sha256));
          for (const one of [coldLookup, coldClient]) one.close();
        }
        for (const one of [lookup, client]) one.close();
      }),
      { numRuns: rounds({ usual: 2, soak: 100 }) },
    );
    expect(compared).toBeGreaterThan(200);
    // The client followed changes, and did not always load the list.
    expect(requests('sums/root')).toBeGreaterThan(1);
  }, 300_000);
});
