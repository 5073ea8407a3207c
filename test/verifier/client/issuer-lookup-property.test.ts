import { createIssuerLookup } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import { changingRegistry, idsFrom } from '../../support/changing-registry.js';
import fc from '../../support/fast-check.js';
import { sha256 } from '../../support/publication.js';
import { addedId, applyStep, STEPS } from '../../support/random-changes.js';
import { shortenRetries } from '../../support/short-retries.js';
import { rounds } from '../../support/soak.js';
import { statementClaims } from '../../support/summed-registry.js';

shortenRetries();

const REGISTRY = fc.record({ size: fc.integer({ min: 0, max: 150 }), steps: STEPS });

const POLICY = { tiers: ['certified' as const] };

describe('random registries and changes', () => {
  it('a look-up and a client of the whole list always agree, and unchanged files are not sent again', async () => {
    await fc.assert(
      fc.asyncProperty(REGISTRY, async ({ size, steps }) => {
        const registry = await changingRegistry(idsFrom(0, size));
        const sources = [registry.host.base];
        const lookup = createIssuerLookup({ sources, rootKey: registry.key.rootKey.jwk });
        /** The content of the proof files that were sent for the present number of levels. */
        const sent = new Map<string, string>();
        let sentLevels: number | undefined;
        try {
          for (const step of steps) {
            const before = [...registry.records.keys()];
            const files = await applyStep(registry, step);
            const whole = registry.client();
            await Promise.all([whole.ready(), lookup.refresh()]);
            registry.sent();
            const asked = [...before.slice(0, 12), ...step.added.map(addedId), 'nobody'];
            for (const id of asked) {
              expect(await lookup.resolve(id)).toEqual(whole.resolve(id));
              const { registry, ...decision } = await lookup.decide(id, POLICY);
              expect(decision).toEqual(whole.decide(id, POLICY));
              expect(registry).toEqual({ updatedAt: whole.updatedAt, sha256: whole.sha256 });
            }
            expect([lookup.sha256, lookup.updatedAt]).toEqual([whole.sha256, whole.updatedAt]);
            whole.close();
            const { levels: present } = statementClaims(files);
            if (present !== sentLevels) sent.clear();
            sentLevels = present;
            for (const path of registry.sent()) {
              if (!/^(?:sums|issuers)\//.test(path)) continue;
              const content = sha256(files.get(path) as Buffer);
              expect(sent.get(path), path).not.toBe(content);
              sent.set(path, content);
            }
          }
        } finally {
          lookup.close();
        }
      }),
      { numRuns: rounds({ usual: 6, soak: 200 }) },
    );
  });
});
