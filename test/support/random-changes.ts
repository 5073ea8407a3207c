import type { ChangingRegistry } from './changing-registry.js';
import fc from './fast-check.js';

/** A change of the records between two publications that a client sees. */
const STEP = fc.record({
  changed: fc.array(fc.nat(), { maxLength: 4 }),
  added: fc.array(fc.nat({ max: 50 }), { maxLength: 3 }),
  removed: fc.array(fc.nat(), { maxLength: 3 }),
  status: fc.constantFrom('active', 'suspended', 'revoked'),
  levels: fc.constantFrom(undefined, undefined, undefined, undefined, 0, 1, 2, 3),
});

/** A random change of some records. */
export type Step = typeof STEP extends fc.Arbitrary<infer One> ? One : never;

/** Random steps of one registry. */
export const STEPS = fc.array(STEP, { minLength: 1, maxLength: 6 });

/** Returns the id of a record that a step adds. */
export const addedId = (number: number) => `added-${number}`;

/** Changes the records of a registry, and publishes them. Returns the files. */
export function applyStep(registry: ChangingRegistry, { changed, added, removed, status, levels }: Step) {
  const { records } = registry;
  const before = [...records.keys()];
  for (const index of removed) records.delete(before[index % before.length] ?? '');
  for (const index of changed) {
    const id = before[index % before.length];
    if (id !== undefined && records.has(id)) registry.change(id, { status });
  }
  for (const number of added) registry.change(addedId(number), { status });
  return registry.publish(levels === undefined ? {} : { levels });
}
