import { formatHistoryProof } from '@passport-registry/verifier/core';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { beforeAll, describe, expect, it } from 'vitest';
import fc, { codePoint } from '../../support/fast-check.js';
import {
  codeOf,
  cosignedBy,
  delegationOf,
  historyWorld,
  type Parts,
  partsOf,
  textOf,
} from '../../support/history-proofs.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { issuer, testKey } from '../../support/publication.js';
import { rounds } from '../../support/soak.js';

let world: Awaited<ReturnType<typeof historyWorld>>;
/** The proofs of two publications of one registry, both with everything that a proof can have. */
let one: Parts;
let other: Parts;

beforeAll(async () => {
  world = await historyWorld();
  const next = await testKey('p256');
  const registry = new LoggedRegistry(world.root);
  await registry.append(delegationOf(0));
  await registry.rotate(next);
  const publish = async (status: 'active' | 'suspended', at: string) => {
    const list = [issuer('alpha', { status }), issuer('beta')];
    await registry.prepare({ issuers: list, updatedAt: at, levels: 1 });
    await registry.append(delegationOf(registry.log.texts.length));
    const first_proof = await cosignedBy(registry, world.early);
    await registry.append(delegationOf(registry.log.texts.length));
    const last_proof = await cosignedBy(registry, world.late);
    const later_entries = registry.log.texts.slice(registry.index + 1);
    const files = new Map(registry.files);
    const rotation = JSON.parse(textOf(files, 'keys/rotation.json'));
    return partsOf(files, 'alpha', { first_proof, last_proof, later_entries, rotation });
  };
  one = await publish('active', '2026-03-01T09:00:00Z');
  other = await publish('suspended', '2026-03-01T09:30:00Z');
});

const accepted = (parts: object) =>
  codeOf(verifyHistoryProof(JSON.stringify(parts), { trustAnchor: world.anchor }));

/** Codes that a reader can act on. Anything else would be a bug. */
const CODE =
  /^ERR_(BUNDLE_INVALID|PUBLICATION_INVALID|NOT_LOGGED|TOO_FEW_COSIGNATURES|LOG_INCONSISTENT|SUMS_MISMATCH|ROTATION_\w+)$/;

describe('whatever is altered in a proof', () => {
  it('nothing is, in these two', async () => {
    for (const parts of [one, other]) expect(await codeOf(world.verify(parts))).toBe('accepted');
  });

  it('one character, added, removed or replaced in any member, makes it invalid', async () => {
    const whole = JSON.parse(formatHistoryProof(one)) as Record<string, string | string[]>;
    const places = Object.entries(whole).flatMap(([member, value]) =>
      typeof value === 'string'
        ? [{ member, text: value, item: undefined as number | undefined }]
        : value.map((text, item) => ({ member, text, item: item as number | undefined })),
    );
    const character = fc.oneof(
      fc.constantFrom(...'AB01abcdef+/=_-., \n\u2014\0\ud800'),
      fc.string({ minLength: 1, maxLength: 1, unit: codePoint }),
    );
    const alteration = fc.record({
      place: fc.constantFrom(...places),
      at: fc.nat(),
      removed: fc.integer({ min: 0, max: 1 }),
      added: fc.option(character, { nil: '' }),
    });
    await fc.assert(
      fc.asyncProperty(alteration, async ({ place: { member, text, item }, at, removed, added }) => {
        const start = at % (text.length + 1 - removed);
        const altered = text.slice(0, start) + added + text.slice(start + removed);
        fc.pre(altered !== text);
        const value = item === undefined ? altered : (whole[member] as string[]).with(item, altered);
        expect(await accepted({ ...whole, [member]: value }), `${member} ${start}`).toMatch(CODE);
      }),
      { numRuns: rounds({ usual: 150, soak: 3000 }) },
    );
  });

  it('an item, added, removed or moved in any array, makes it invalid', async () => {
    const whole = JSON.parse(formatHistoryProof(one)) as Record<string, string | string[]>;
    for (const [member, value] of Object.entries(whole)) {
      if (typeof value === 'string') continue;
      const lists = value.flatMap((item, at) => [
        value.toSpliced(at, 1),
        value.toSpliced(at, 0, item),
        value.toSpliced(at, 0, ''),
        value.concat(item),
      ]);
      lists.push([], value.toReversed(), [...value, ''], [...value, ...(other[member as 'sums'] ?? [])]);
      for (const list of lists) {
        if (JSON.stringify(list) === JSON.stringify(value)) continue;
        expect(await accepted({ ...whole, [member]: list }), member).toMatch(CODE);
      }
    }
  });

  it('no mixture of two valid proofs is valid', async () => {
    const [mine, its] = [one, other].map((parts) => Object.entries(JSON.parse(formatHistoryProof(parts))));
    const differing = (mine ?? []).flatMap(([member, value], at) =>
      JSON.stringify(value) === JSON.stringify(its?.[at]?.[1]) ? [] : [member],
    );
    expect(differing).toEqual([
      'first_proof',
      'last_proof',
      'later_entries',
      'publication',
      'record',
      'sums',
    ]);
    for (let mask = 1; mask < 2 ** differing.length - 1; mask++) {
      const taken = differing.filter((_member, bit) => mask & (2 ** bit));
      const mixed = {
        ...one,
        ...Object.fromEntries(taken.map((member) => [member, other[member as 'sums']])),
      };
      expect(await codeOf(world.verify(mixed)), taken.join()).toMatch(CODE);
    }
    const exchanged = { ...one, first_proof: one.last_proof, last_proof: one.first_proof };
    expect(await codeOf(world.verify(exchanged))).toMatch(CODE);
  });
});
