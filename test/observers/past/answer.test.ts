import type { Issuer, TrustAnchor } from '@passport-registry/verifier';
import { importAnchorRoot } from '@passport-registry/verifier/core';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { readRecordAt } from '../../../build/observers/past/answer.js';
import { openHistory } from '../../../build/observers/past/history.js';
import { LoggedRegistry, noteEntry } from '../../support/logged-registry.js';
import { type NoteSigner, noteSigner } from '../../support/note-keys.js';
import { type Files, issuer, publish, type TestKey, testKey } from '../../support/publication.js';
import { treeIn } from '../../support/sources.js';
import { type Cosigning, ORIGIN } from '../../support/test-log.js';

const witnesses = ['w1.example', 'w2.example', 'w3.example'].map((name) => noteSigner(name, 'witness'));
const [w1, w2, w3] = witnesses as [NoteSigner, NoteSigner, NoteSigner];
let root: TestKey;
/** Wants two of the three witnesses. */
let usual: TrustAnchor;
/** Names a root key alone. */
let rootAlone: TrustAnchor;
let registry: LoggedRegistry;

beforeAll(async () => {
  root = await testKey();
  usual = anchorOf(root, witnesses, 2);
  rootAlone = { root: usual.root } as TrustAnchor;
});

beforeEach(() => {
  registry = new LoggedRegistry(root);
});

function anchorOf({ rootKey }: TestKey, of: readonly NoteSigner[], quorum: number): TrustAnchor {
  return { root: rootKey.jwk, log: ORIGIN, quorum, witnesses: of.map(({ vkey }) => vkey) } as TrustAnchor;
}

/** Two witnesses cosign, the second one a second later. */
const both = (time: string): Cosigning[] => [
  [w1, time],
  [w2, time.replace('00Z', '01Z')],
];
const alpha = (status: Issuer['status']) => [issuer('alpha', { status }), issuer('beta')];

/** Publishes at nine o'clock of a day. Two witnesses cosign an hour later. */
async function publishOn(day: number, status: Issuer['status'], claims: object = {}): Promise<void> {
  const date = `2026-03-${String(day).padStart(2, '0')}T`;
  await registry.prepare({ issuers: alpha(status), updatedAt: `${date}09:00:00Z`, claims: { ...claims } });
  await registry.complete({ cosigned: both(`${date}10:00:00Z`) });
}

/** Has the newest head cosigned again. */
const cosignOn = (day: number) => registry.complete({ cosigned: both(`2026-03-${day}T10:00:00Z`) });

/** What a trust anchor says of its root key and the log. */
async function trustIn(anchor: TrustAnchor) {
  const { root: _root, next_roots: _next, sources: _sources, ...log } = anchor;
  const rootKey = await importAnchorRoot(anchor);
  return { rootKey, log };
}

async function ask(
  time: string,
  anchor: TrustAnchor = usual,
  tree: Files = registry.files,
  issuerId = 'alpha',
) {
  const history = await openHistory(treeIn(tree), await trustIn(anchor));
  return readRecordAt(history, Date.parse(time), issuerId);
}

describe('what a registry said at a time', () => {
  beforeEach(async () => {
    await publishOn(1, 'active');
    await registry.append(noteEntry('note 1'));
    await publishOn(5, 'suspended');
    await registry.append(noteEntry('note 2'));
    await publishOn(9, 'active');
    await cosignOn(20);
  });

  it.each([
    ['2026-03-01T09:00:00Z', 'active', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-03T11:00:00Z', 'active', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-05T08:59:59.999Z', 'active', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-05T09:00:00Z', 'suspended', 2, '2026-03-09T09:00:00Z'],
    ['2026-03-09T09:00:00Z', 'active', 3, null],
    ['2026-03-20T10:00:00Z', 'active', 3, null],
  ])(
    'is that of the publication in force by the signed times at %s: %s',
    async (time, status, sequence, until) => {
      const from = `2026-03-0${4 * sequence - 3}T09:00:00Z`;
      const cosignedAt = '2026-03-20T10:00:00Z';
      expect(await ask(time)).toMatchObject({
        listed: true,
        issuer: { status },
        sequence,
        from,
        until,
        cosignedAt,
      });
    },
  );

  it.each([
    ['2026-03-01T08:59:59.999Z', 'its first publication is later'],
    ['2026-03-20T10:00:00.001Z', 'its newest head was cosigned at 2026-03-20T10:00:00Z'],
    ['2026-10-01T00:00:00Z', 'read a newer copy'],
  ])('is not known at %s', async (time, why) => {
    await expect(ask(time)).rejects.toMatchObject({
      code: 'ERR_IO_FAILED',
      message: expect.stringContaining(why),
    });
  });

  it('includes that an issuer was not listed', async () => {
    const answer = await ask('2026-03-05T11:00:00Z', usual, registry.files, 'gamma');
    expect(answer).toMatchObject({ listed: false, issuer: null, sequence: 2 });
  });

  it('depends on the witnesses and the quorum of the reader', async () => {
    const three = ask('2026-03-05T11:00:00Z', anchorOf(root, witnesses, 3));
    await expect(three).rejects.toMatchObject({ code: 'ERR_TOO_FEW_COSIGNATURES' });
    const one = anchorOf(root, [w1, w3], 1);
    expect(await ask('2026-03-05T11:00:00Z', one)).toMatchObject({ sequence: 2 });
  });
});

describe('the times of publications', () => {
  const signedAt = (time: string) => ({ iat: Date.parse(time) / 1000 });

  it('are the signed ones, also if the list has a later date', async () => {
    await publishOn(1, 'active');
    await publishOn(5, 'suspended', signedAt('2026-03-02T09:00:00Z'));
    await cosignOn(20);
    expect(await ask('2026-03-02T08:00:00Z')).toMatchObject({ sequence: 1, until: '2026-03-02T09:00:00Z' });
    expect(await ask('2026-03-04T09:00:00Z')).toMatchObject({ sequence: 2, from: '2026-03-02T09:00:00Z' });
  });

  it('are the signed ones, also if the list has an earlier date', async () => {
    await publishOn(1, 'active');
    await publishOn(3, 'suspended', signedAt('2026-03-07T09:00:00Z'));
    await publishOn(5, 'active', signedAt('2026-03-09T09:00:00Z'));
    await cosignOn(20);
    expect(await ask('2026-03-06T09:00:00Z')).toMatchObject({ sequence: 1, until: '2026-03-07T09:00:00Z' });
    expect(await ask('2026-03-08T09:00:00Z')).toMatchObject({ sequence: 2, until: '2026-03-09T09:00:00Z' });
  });
});

describe('without witnesses', () => {
  it.each([
    ['2026-03-01T09:00:00Z', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-05T08:59:59.999Z', 1, '2026-03-05T09:00:00Z'],
    ['2026-03-05T09:00:00Z', 2, null],
    ['2026-10-01T00:00:00Z', 2, null],
  ])('the log of the publisher shows what was in force at %s', async (time, sequence, until) => {
    await publishOn(1, 'active');
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-05T09:00:00Z' });
    await registry.complete({ cosigned: [] });
    for (const anchor of [rootAlone, { ...rootAlone, log: ORIGIN } as TrustAnchor]) {
      const answer = await ask(time, anchor);
      expect(answer).toMatchObject({ sequence, until, cosignedAt: null });
    }
    await expect(ask('2026-03-01T08:59:59Z', rootAlone)).rejects.toThrow('is later');
    const other = { ...rootAlone, log: 'other.example/log' } as TrustAnchor;
    await expect(ask(time, other)).rejects.toMatchObject({ code: 'ERR_NOT_LOGGED' });
  });
});

describe('after a rotation of the root key', () => {
  it('the pinned key and its successors sign the past; predecessors need their own trust anchor', async () => {
    const [second, third] = [await testKey(), await testKey()];
    await publishOn(1, 'active');
    await registry.rotate(second);
    await publishOn(3, 'suspended');
    await registry.rotate(third);
    await publishOn(5, 'active');
    await cosignOn(20);
    const times = ['2026-03-01T11:00:00Z', '2026-03-03T11:00:00Z', '2026-03-05T11:00:00Z'];
    for (const [since, pinned] of [root, second, third].entries()) {
      const anchor = anchorOf(pinned, witnesses, 2);
      for (const [at, time] of times.entries()) {
        if (at < since)
          await expect(ask(time, anchor)).rejects.toThrow('earlier root keys signed the older publications');
        else expect(await ask(time, anchor), `${since} ${at}`).toMatchObject({ sequence: at + 1 });
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
  const time = '2026-03-01T09:30:00Z';
  const pathsOf = (tree: Files) => [...tree.keys()].filter((path) => path.startsWith('lists/'));

  it('comes from its place, if its hash is right', async () => {
    await publishOn(1, 'active');
    const tree = new Map(registry.files);
    const [kept = ''] = pathsOf(tree);
    expect(await ask(time, usual, tree)).toMatchObject({ listed: true });
    const damaged = Buffer.from(String(tree.get(kept)).replace('alpha', 'alphb'));
    for (const other of [damaged, undefined]) {
      if (other === undefined) tree.delete(kept);
      else tree.set(kept, other);
      await expect(ask(time, usual, tree)).rejects.toThrow(
        /has not kept lists\/[0-9a-f]{64}\.json of 2026-03-01/,
      );
    }
  });

  it('that was too large to keep is missed with a remedy, and does not hide the lists around it', async () => {
    await publishOn(1, 'active');
    await registry.prepare({ issuers: alpha('suspended'), updatedAt: '2026-03-03T09:00:00Z', kept: false });
    await registry.complete({ cosigned: both('2026-03-03T10:00:00Z') });
    await publishOn(5, 'active');
    await expect(ask('2026-03-03T11:00:00Z')).rejects.toThrow('look at a mirror or in a backup');
    expect(await ask('2026-03-02T00:00:00Z')).toMatchObject({ sequence: 1 });
    expect(await ask('2026-03-05T09:30:00Z')).toMatchObject({ sequence: 3 });
  });
});

describe('the past is not read', () => {
  it.each([
    ['without the proof of the newest publication', 'log/publication.tlog-proof', 'ERR_NOT_LOGGED'],
    ['without the statement of the past', 'log/statements/0.jwt', 'ERR_TREE_REJECTED'],
    ['without its entries', 'log/tile/entries/000.p/2', 'ERR_TREE_REJECTED'],
  ])('%s', async (_what, missing, code) => {
    await publishOn(1, 'active');
    await publishOn(3, 'active');
    const tree = new Map(registry.files);
    tree.delete(missing);
    await expect(ask('2026-03-01T11:00:00Z', usual, tree)).rejects.toMatchObject({ code });
  });

  it('from the statement of another entry, even without witnesses', async () => {
    await publishOn(1, 'active');
    await publishOn(3, 'active');
    const tree = new Map(registry.files);
    tree.set('log/statements/0.jwt', tree.get('log/statements/1.jwt') as Buffer);
    const asked = ask('2026-03-02T00:00:00Z', rootAlone, tree);
    await expect(asked).rejects.toThrow('publication 1 of 2026-03-01T09:00:00Z is refused: ');
  });

  it('from a registry that has no log', async () => {
    const tree = publish(root, [issuer('alpha')]);
    await expect(ask('2026-03-01T11:00:00Z', rootAlone, tree)).rejects.toThrow('has no log');
  });
});

describe('the cost of a question', () => {
  it('does not grow with the number of publications, besides the entries of the log', async () => {
    const lists = 300;
    const start = Date.parse('2025-01-01T00:00:00Z');
    const day = (at: number) => new Date(start + at * 86_400_000).toISOString().replace('.000', '');
    for (let at = 0; at < lists; at++) {
      await registry.prepare({
        issuers: [issuer('alpha', { contact: `a${at}@alpha.example` })],
        updatedAt: day(at),
      });
      await registry.complete({ cosigned: [] });
    }
    await registry.complete({ cosigned: both('2026-03-20T10:00:00Z') });
    const trust = await trustIn(usual);
    for (const wanted of [0, 1, 150, 255, 256, 298, 299]) {
      const read: string[] = [];
      const source = treeIn(registry.files);
      const counting = {
        ...source,
        get: (path: string) => read.push(path) && source.get(path),
      } as typeof source;
      const history = await openHistory(counting, trust);
      const answer = await readRecordAt(history, Date.parse(day(wanted)) + 3_600_000, 'alpha');
      expect(answer).toMatchObject({ issuer: { contact: `a${wanted}@alpha.example` } });
      // The tiles and bundles of 300 entries, three signed files, two statements, and the list.
      expect(read.length).toBeLessThanOrEqual(12);
    }
  });
});
