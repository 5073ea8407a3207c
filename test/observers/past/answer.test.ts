import type { Issuer, TrustAnchor } from '@passport-registry/verifier';
import { importAnchorRoot } from '@passport-registry/verifier/core';
import { verifyHistoryProof } from '@passport-registry/verifier/history';
import { memorySource } from 'passport-registry';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answerFrom } from '../../../build/observers/past/answer.js';
import { anchorOf, delegationOf, historyWorld } from '../../support/history-proofs.js';
import { LoggedRegistry } from '../../support/logged-registry.js';
import { type Files, issuer, testKey } from '../../support/publication.js';
import { publishSummed } from '../../support/summed-registry.js';
import type { Cosigning } from '../../support/test-log.js';

let world: Awaited<ReturnType<typeof historyWorld>>;
let registry: LoggedRegistry;

beforeAll(async () => {
  world = await historyWorld();
});

beforeEach(() => {
  registry = new LoggedRegistry(world.root);
});

/** Two witnesses cosign, the second one a second later. */
const both = (time: string): Cosigning[] => [
  [world.w1, time],
  [world.w2, time.replace('00Z', '01Z')],
];
const alpha = (status: Issuer['status']) => [issuer('alpha', { status }), issuer('beta')];

/** Publishes at an hour of a day, cosigned at once and again some hours later. */
async function publishOn(day: number, status: Issuer['status'], last = 12): Promise<void> {
  const date = `2026-03-${String(day).padStart(2, '0')}T`;
  await registry.prepare({ issuers: alpha(status), updatedAt: `${date}09:00:00Z` });
  await registry.complete({ cosigned: both(`${date}10:00:00Z`) });
  await registry.complete({ cosigned: both(`${date}${last}:00:00Z`) });
}

/** What a trust anchor says of its root key and the log. */
async function trustIn(anchor: TrustAnchor) {
  const { root: _root, next_roots: _next, sources: _sources, ...log } = anchor;
  const rootKey = await importAnchorRoot(anchor);
  return { rootKey, requireCheckpoint: false, requirePublication: false, log };
}

async function ask(
  time: string,
  anchor: TrustAnchor = world.anchor,
  tree: Files = registry.files,
  issuerId = 'alpha',
) {
  const trust = await trustIn(anchor);
  const isProofWanted = true;
  return answerFrom(memorySource(tree), { issuerId, time: Date.parse(time), trust, isProofWanted });
}

describe('what a registry said at a time', () => {
  beforeEach(async () => {
    await publishOn(1, 'active');
    await registry.append(delegationOf(1));
    await publishOn(5, 'suspended');
    await publishOn(9, 'active');
    await registry.append(delegationOf(2));
    await registry.complete({ cosigned: both('2026-03-20T10:00:00Z') });
  });

  it.each([
    ['2026-03-01T10:00:01Z', 'active', 1],
    ['2026-03-01T11:00:00Z', 'active', 1],
    ['2026-03-01T12:00:00Z', 'active', 1],
    ['2026-03-05T10:00:01Z', 'suspended', 2],
    ['2026-03-05T12:00:00Z', 'suspended', 2],
    ['2026-03-09T10:00:01Z', 'active', 3],
    ['2026-03-15T00:00:00Z', 'active', 3],
    ['2026-03-20T10:00:00Z', 'active', 3],
  ])('is proven at %s: %s', async (time, status, sequence) => {
    const answer = await ask(time);
    expect(answer).toMatchObject({
      evidence: 'witnesses',
      said: { listed: true, issuer: { status }, sequence },
    });
    const { proof = '', said } = answer as { proof: string; said: { from: string; until: string } };
    const proven = await verifyHistoryProof(proof, { trustAnchor: world.anchor });
    expect(proven).toMatchObject({ issuer: { status }, sequence });
    expect([proven.from, proven.until]).toEqual([new Date(said.from), new Date(said.until)]);
    expect(proven.from <= new Date(time) && new Date(time) <= proven.until).toBe(true);
  });

  it.each([
    ['2026-03-01T10:00:00.999Z', undefined, 1],
    ['2026-01-01T00:00:00Z', undefined, 1],
    ['2026-03-01T12:00:00.001Z', 1, 2],
    ['2026-03-05T10:00:00.999Z', 1, 2],
    ['2026-03-05T12:00:00.001Z', 2, 3],
    ['2026-03-09T10:00:00.999Z', 2, 3],
    ['2026-03-20T10:00:00.001Z', 3, undefined],
    ['2026-10-01T00:00:00Z', 3, undefined],
  ])('is not known at %s, but before and after', async (time, before, after) => {
    const said = (sequence: number | undefined) =>
      sequence === undefined
        ? null
        : { sequence, listed: true, issuer: { status: sequence === 2 ? 'suspended' : 'active' } };
    const answer = await ask(time);
    expect(answer).toMatchObject({
      evidence: 'none',
      before: said(before),
      after: said(after),
      unproven: [],
    });
  });

  it('includes that an issuer was not listed', async () => {
    const answer = await ask('2026-03-05T11:00:00Z', world.anchor, registry.files, 'gamma');
    expect(answer).toMatchObject({ evidence: 'witnesses', said: { listed: false, issuer: null } });
    const { proof = '' } = answer as { proof: string };
    const proven = await verifyHistoryProof(proof, { trustAnchor: world.anchor });
    expect(proven).toMatchObject({ issuerId: 'gamma', issuer: undefined });
  });

  it('depends on the witnesses and the quorum of the reader', async () => {
    const { root, w1, w2, w3, witnesses } = world;
    const three = await ask('2026-03-05T11:00:00Z', anchorOf(root, witnesses, 3));
    const reason = expect.stringContaining('ERR_TOO_FEW_COSIGNATURES');
    const unproven = [{ sequence: 1, reason }, { sequence: 2 }, { sequence: 3 }];
    expect(three).toMatchObject({ evidence: 'none', before: null, after: null, unproven });
    const one = await ask('2026-03-05T10:00:00Z', anchorOf(root, [w1, w3], 1));
    expect(one).toMatchObject({ evidence: 'witnesses', said: { witnesses: { from: ['w1.example'] } } });
    const late = await ask('2026-03-05T10:00:00Z', anchorOf(root, [w2], 1));
    expect(late.evidence).toBe('none');
  });
});

describe('publications between', () => {
  it('that witnesses have cosigned only once have no period between two times', async () => {
    await publishOn(1, 'active');
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-02T09:00:00Z' });
    await registry.complete({ cosigned: both('2026-03-02T10:00:00Z') });
    const reason =
      'ERR_TOO_FEW_COSIGNATURES: the witnesses have cosigned the list only once, or too few of them again, so nothing shows how ' +
      'long it was in force: enough had cosigned it at 2026-03-02T10:00:01Z, and their newest cosignatures together reach only ' +
      'to 2026-03-02T10:00:00Z. The operator proves later lists by running `checkpoint` again while they are in force';
    const newest = { evidence: 'none', before: { sequence: 1 }, unproven: [{ sequence: 2, reason }] };
    for (const second of ['00', '00.500', '01', '02'])
      expect(await ask(`2026-03-02T10:00:${second}Z`)).toMatchObject(newest);
    await registry.complete({ cosigned: both('2026-03-02T10:01:00Z') });
    expect(await ask('2026-03-02T10:00:01Z')).toMatchObject({ evidence: 'witnesses', said: { sequence: 2 } });
  });

  it('that no quorum has seen are named, and do not hide the ones around', async () => {
    await publishOn(1, 'active');
    for (const day of [2, 3]) {
      await registry.prepare({ issuers: alpha('suspended'), updatedAt: `2026-03-0${day}T09:00:00Z` });
      await registry.complete({ cosigned: [[world.w1, `2026-03-0${day}T10:00:00Z`]] });
    }
    await publishOn(4, 'active');
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-06T09:00:00Z' });
    await registry.complete({ cosigned: [] });
    const between = await ask('2026-03-03T11:00:00Z');
    const unproven = [
      { sequence: 2, updatedAt: '2026-03-02T09:00:00Z' },
      { sequence: 3, updatedAt: '2026-03-03T09:00:00Z' },
    ];
    expect(between).toMatchObject({
      evidence: 'none',
      before: { sequence: 1 },
      after: { sequence: 4 },
      unproven,
    });
    expect(await ask('2026-03-01T11:00:00Z')).toMatchObject({ evidence: 'witnesses', said: { sequence: 1 } });
    expect(await ask('2026-03-04T11:00:00Z')).toMatchObject({ evidence: 'witnesses', said: { sequence: 4 } });
    const newest = await ask('2026-03-07T00:00:00Z');
    expect(newest).toMatchObject({
      evidence: 'none',
      before: { sequence: 4 },
      after: null,
      unproven: [{ sequence: 5 }],
    });
  });

  it('that no quorum has seen are not named if they came later than the next one', async () => {
    await publishOn(1, 'active');
    await publishOn(3, 'suspended');
    await registry.prepare({ issuers: alpha('active'), updatedAt: '2026-03-05T09:00:00Z' });
    await registry.complete({ cosigned: [] });
    await publishOn(7, 'active');
    expect(await ask('2026-03-02T00:00:00Z')).toMatchObject({
      ...{ before: { sequence: 1 }, after: { sequence: 2 }, unproven: [] },
    });
  });

  it('that were only in the log were never in force', async () => {
    await publishOn(1, 'active');
    const last = registry.files.get('log/publication.tlog-proof') as Buffer;
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-02T09:00:00Z' });
    await publishOn(3, 'active');
    const tree = new Map(registry.files);
    tree.set('log/proofs/0/last.tlog-proof', last);
    expect(await ask('2026-03-02T12:00:00Z', world.anchor, tree)).toMatchObject({
      evidence: 'none',
      unproven: [{ sequence: 2, reason: expect.stringContaining('never completed') }],
    });
    const { root, log } = world.anchor;
    const word = await ask('2026-03-02T12:00:00Z', { root, log } as TrustAnchor, tree);
    expect(word).toMatchObject({
      evidence: 'publisher',
      said: { sequence: 1, until: '2026-03-03T09:00:00Z' },
    });
  });

  it('that the last proof hides are found', async () => {
    await publishOn(1, 'active');
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-02T09:00:00Z' });
    await registry.complete({ cosigned: both('2026-03-02T10:00:00Z') });
    await registry.complete({ cosigned: both('2026-03-02T12:00:00Z') });
    const tree = new Map(registry.files);
    tree.set(
      'log/proofs/0/last.tlog-proof',
      Buffer.from(await registry.log.proof(0, { size: 2, cosigned: both('2026-03-09T10:00:00Z') })),
    );
    expect(await ask('2026-03-05T00:00:00Z', world.anchor, tree)).toMatchObject({
      evidence: 'none',
      unproven: [],
      before: { sequence: 2 },
    });
    expect(await ask('2026-03-01T11:00:00Z', world.anchor, tree)).toMatchObject({
      unproven: [{ sequence: 1, reason: expect.stringContaining('later publication') }],
    });
  });
});

describe('without witnesses', () => {
  it.each([
    ['2026-03-01T09:00:00Z', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-05T08:59:59.999Z', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-05T09:00:00Z', 2, null],
    ['2026-10-01T00:00:00Z', 2, null],
  ])('the publisher says what was in force at %s, and nothing proves it', async (time, sequence, until) => {
    await registry.prepare({ issuers: alpha('active'), updatedAt: '2026-03-01T09:00:00Z' });
    await registry.complete({ cosigned: [] });
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-05T09:00:00Z' });
    await registry.complete({ cosigned: [] });
    const { root, log } = world.anchor;
    for (const anchor of [{ root }, { root, log }]) {
      const answer = await ask(time, anchor as TrustAnchor);
      expect(answer).toMatchObject({
        evidence: 'publisher',
        proof: undefined,
        said: { sequence, until, witnesses: null },
      });
    }
    expect(await ask('2026-03-01T08:59:59Z', { root } as TrustAnchor)).toMatchObject({
      evidence: 'none',
      before: null,
      after: { sequence: 1 },
    });
    const other = { root, log: 'other.example/log' } as TrustAnchor;
    await expect(ask(time, other)).rejects.toMatchObject({ code: 'ERR_NOT_LOGGED' });
  });
});

describe('after a rotation of the root key', () => {
  it('the pinned key and its successors prove their publications; predecessors need their own trust anchor', async () => {
    const [second, third] = [await testKey(), await testKey()];
    await publishOn(1, 'active');
    await registry.rotate(second);
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-03T09:00:00Z' });
    await registry.complete({ cosigned: both('2026-03-03T10:00:00Z') });
    await registry.complete({ cosigned: both('2026-03-03T12:00:00Z') });
    await registry.rotate(third);
    await registry.prepare({ issuers: alpha('active'), updatedAt: '2026-03-05T09:00:00Z' });
    await registry.complete({ cosigned: both('2026-03-05T10:00:00Z') });
    await registry.complete({ cosigned: both('2026-03-05T12:00:00Z') });
    const times = ['2026-03-01T11:00:00Z', '2026-03-03T11:00:00Z', '2026-03-05T11:00:00Z'];
    for (const [since, pinned] of [world.root, second, third].entries()) {
      const anchor = anchorOf(pinned, world.witnesses, 2);
      for (const [at, time] of times.entries()) {
        const answer = await ask(time, anchor);
        const expected =
          at < since
            ? { evidence: 'none', before: null, isPartial: true }
            : { evidence: 'witnesses', said: { sequence: at + 1 } };
        expect(answer, `${since} ${at}`).toMatchObject(expected);
        const { proof } = answer as { proof?: string };
        if (proof === undefined) continue;
        expect(await verifyHistoryProof(proof, { trustAnchor: anchor })).toMatchObject({ sequence: at + 1 });
        // Whoever pins an older key can read the same file.
        expect(await verifyHistoryProof(proof, { trustAnchor: world.anchor })).toMatchObject({
          sequence: at + 1,
        });
      }
    }
  });
});

it('a publication by a replaced root key is no evidence of the past', async () => {
  await publishOn(1, 'active');
  const first = registry.root;
  const second = await testKey();
  await registry.rotate(second);
  registry.root = first;
  await publishOn(3, 'suspended');
  registry.root = second;
  await publishOn(5, 'active');
  await expect(ask('2026-03-03T11:00:00Z')).rejects.toMatchObject({ code: 'ERR_TREE_REJECTED' });
});

describe('the list of the past', () => {
  const time = '2026-03-01T11:00:00Z';
  const pathsOf = (tree: Files) => [...tree.keys()].filter((path) => path.startsWith('log/lists/'));

  it('comes from the log, from a snapshot, or from the published list, if its hash is right', async () => {
    await publishOn(1, 'active');
    const tree = new Map(registry.files);
    const [kept = ''] = pathsOf(tree);
    const list = tree.get(kept) as Buffer;
    const snapshot = kept.replace('log/lists/', 'snapshots/').replace('.json', '/issuers.json');
    const damaged = Buffer.from(list.toString().replace('alpha', 'alphb'));
    for (const [inLog, inSnapshot, current, isFound] of [
      [list, undefined, undefined, true],
      [damaged, list, undefined, true],
      [undefined, damaged, list, true],
      [damaged, damaged, damaged, false],
      [undefined, undefined, undefined, false],
    ] as const) {
      const places = [
        [kept, inLog],
        [snapshot, inSnapshot],
        ['issuers.json', current],
      ] as const;
      for (const [path, bytes] of places) {
        if (bytes === undefined) tree.delete(path);
        else tree.set(path, bytes);
      }
      if (isFound) expect(await ask(time, world.anchor, tree)).toMatchObject({ said: { listed: true } });
      else
        await expect(ask(time, world.anchor, tree)).rejects.toThrow(
          /has not kept the list [0-9a-f]{64} of 2026-03-01/,
        );
    }
  });

  it('that was too large to keep is missed with a remedy, and does not hide the lists around it', async () => {
    await publishOn(1, 'active');
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-03T09:00:00Z', kept: false });
    await registry.complete({ cosigned: both('2026-03-03T10:00:00Z') });
    await registry.complete({ cosigned: both('2026-03-03T12:00:00Z') });
    await publishOn(5, 'active');
    await expect(ask('2026-03-03T11:00:00Z')).rejects.toThrow('keep_lists');
    expect(await ask('2026-03-04T00:00:00Z')).toMatchObject({
      before: { sequence: 2, problem: expect.stringContaining('has not kept the list') },
      after: { sequence: 3, listed: true },
    });
  });
});

describe('the past is not read', () => {
  it.each([
    ['without the proof of the newest publication', ['log/publication.tlog-proof'], 'ERR_NOT_LOGGED'],
    ['without a statement', ['publication.jwt'], 'ERR_TREE_REJECTED'],
    ['without the statement of the past', ['log/statements/0.jwt'], 'ERR_TREE_REJECTED'],
    ['without its entries', ['log/tile/entries/000.p/2'], 'ERR_TREE_REJECTED'],
    ['without its tile', ['log/tile/0/000.p/2'], 'ERR_TREE_REJECTED'],
  ])('%s', async (_what, missing, code) => {
    await publishOn(1, 'active');
    await publishOn(3, 'active');
    const tree = new Map(registry.files);
    for (const path of missing) tree.delete(path);
    await expect(ask('2026-03-01T11:00:00Z', world.anchor, tree)).rejects.toMatchObject({ code });
  });

  it('from altered statements, entries or tiles', async () => {
    await publishOn(1, 'active');
    await publishOn(3, 'active');
    for (const path of [
      'log/statements/0.jwt',
      'log/tile/entries/000.p/2',
      'publication.jwt',
      'log/tile/0/000.p/2',
    ]) {
      const tree = new Map(registry.files);
      const bytes = Buffer.from(tree.get(path) as Buffer);
      bytes[bytes.length - 40] = (bytes[bytes.length - 40] ?? 0) ^ 1;
      tree.set(path, bytes);
      await expect(ask('2026-03-01T11:00:00Z', world.anchor, tree), path).rejects.toMatchObject({
        code: expect.stringMatching(/^ERR_(TREE_REJECTED|PUBLICATION_INVALID)$/),
      });
    }
  });

  it('from the statement of another entry, even if nothing is proven', async () => {
    await publishOn(1, 'active');
    await publishOn(3, 'active');
    const tree = new Map(registry.files);
    tree.set('log/statements/0.jwt', tree.get('log/statements/1.jwt') as Buffer);
    const { root } = world.anchor;
    const asked = ask('2026-03-02T00:00:00Z', { root } as TrustAnchor, tree);
    await expect(asked).rejects.toThrow(
      'has no log/statements/0.jwt, or not the statement that the log names',
    );
  });

  it('from a registry that has no log', async () => {
    const tree = await publishSummed(world.root, [issuer('alpha')]);
    const { root } = world.anchor;
    await expect(ask('2026-03-01T11:00:00Z', { root } as TrustAnchor, tree)).rejects.toThrow('has no log');
  });
});

describe('the cost of a question', () => {
  it('grows with the logarithm of the number of publications', async () => {
    const lists = 300;
    const start = Date.parse('2025-01-01T00:00:00Z');
    const hour = (at: number) => new Date(start + at * 3_600_000).toISOString().replace('.000', '');
    for (let at = 0; at < lists; at++) {
      await registry.prepare({
        issuers: [issuer('alpha', { contact: `a${at}@alpha.example` })],
        updatedAt: hour(24 * at),
      });
      await registry.complete({ cosigned: both(hour(24 * at + 1)) });
      await registry.complete({ cosigned: both(hour(24 * at + 12)) });
    }
    const tree = new Map(registry.files);
    const trust = await trustIn(world.anchor);
    for (const wanted of [0, 1, 150, 255, 256, 298, 299]) {
      const read: string[] = [];
      const source = memorySource(tree);
      const counting = {
        ...source,
        get: (path: string) => read.push(path) && source.get(path),
      } as typeof source;
      const question = {
        issuerId: 'alpha',
        time: start + (24 * wanted + 6) * 3_600_000,
        trust,
        isProofWanted: true,
      };
      const answer = await answerFrom(counting, question);
      expect(answer).toMatchObject({ said: { issuer: { contact: `a${wanted}@alpha.example` } } });
      // Nine steps with three files each; the tiles and bundles of 300 entries, the statements, and the list.
      expect(read.length).toBeLessThanOrEqual(9 * 3 + 20);
    }
  });
});
