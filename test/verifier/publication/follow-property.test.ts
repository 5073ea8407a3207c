import { memoryStore } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { changingRegistry, idsFrom } from '../../support/changing-registry.js';
import fc from '../../support/fast-check.js';
import { applyStep, STEPS } from '../../support/random-changes.js';
import { rounds } from '../../support/soak.js';

const REGISTRY = fc.record({
  // Small lists are downloaded whole.
  size: fc.oneof(fc.integer({ min: 0, max: 40 }), fc.integer({ min: 150, max: 300 }), fc.constant(300)),
  steps: STEPS,
});

describe('random registries and changes', () => {
  it('a client that follows changes always has the list of a client that loads it', async () => {
    let followed = 0;
    let downloaded = 0;
    await fc.assert(
      fc.asyncProperty(REGISTRY, async ({ size, steps }) => {
        const registry = await changingRegistry(idsFrom(0, size));
        const store = memoryStore();
        const [plain, stored] = [registry.client(), registry.client({ store })];
        try {
          await Promise.all([plain.ready(), stored.ready()]);
          registry.sent();
          for (const step of steps) {
            const ids = [...registry.records.keys()];
            await applyStep(registry, step);
            await Promise.all([plain.refresh(), stored.refresh()]);
            if (registry.sent().includes('issuers.json')) downloaded += 1;
            else followed += 1;
            const whole = registry.client();
            await whole.ready();
            registry.sent();
            whole.close();
            for (const client of [plain, stored]) {
              expect(client.sha256).toBe(whole.sha256);
              expect(client.updatedAt).toBe(whole.updatedAt);
              expect(client.list()).toEqual(whole.list());
              const all = [...ids, ...registry.records.keys()];
              expect(all.map((id) => client.resolve(id))).toEqual(all.map((id) => whole.resolve(id)));
            }
            expect((await store.load())?.list).toBe(registry.list.toString());
          }
        } finally {
          plain.close();
          stored.close();
        }
      }),
      { numRuns: rounds({ usual: 6, soak: 200 }) },
    );
    expect(followed).toBeGreaterThan(downloaded);
  });
});
