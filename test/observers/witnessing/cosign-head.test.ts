import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { formatNote, newestCosignatures, parseHead, type SignedHead } from '@passport-registry/verifier/core';
import { afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { type Cosigner, cosignHead } from '../../../build/observers/witnessing/cosign-head.js';
import {
  createState,
  lastCosigned,
  openState,
  witnessVkey,
} from '../../../build/observers/witnessing/witness-state.js';
import { generatePair, noteSigner } from '../../support/note-keys.js';
import { namedEntries, ORIGIN, type TestLog, testLog } from '../../support/test-log.js';
import { newSigner } from '../../support/witness-service.js';
import { temporaryFolder } from '../../support/workspace.js';

const pair = generatePair();
let log: TestLog;
/** Has the first five entries of the log, and then others. */
let fork: TestLog;

beforeAll(async () => {
  log = testLog(pair, namedEntries('a', 300));
  fork = testLog(pair, [...namedEntries('a', 5), ...namedEntries('b', 295)]);
});

afterEach(() => {
  vi.useRealTimers();
});

/** Creates a new witness. */
async function newWitness(): Promise<Cosigner> {
  const folder = join(temporaryFolder(), 'state');
  const signer = await newSigner();
  createState(folder, witnessVkey('witness.example/w1', signer.rootKey));
  return { state: openState(folder), signer };
}

/** Asks a witness to cosign a head, with the proof from whatever it has cosigned last. */
function ask(witness: Cosigner, head: SignedHead, from: TestLog = log, logKeys = [log.key]) {
  return cosignHead(witness, { head, logKeys, prove: ({ size }) => from.consistency(size, head.size) });
}

async function cosignedSize({ state }: Cosigner): Promise<number | undefined> {
  return (await lastCosigned({ ...state }, ORIGIN))?.head.size;
}

const refusal = (reason: string, size = 0) =>
  expect.objectContaining({ code: 'ERR_TREE_REJECTED', refusal: reason, size });

describe('a witness', () => {
  it('cosigns heads that grow, and remembers each of them on the disk', async () => {
    const witness = await newWitness();
    for (const size of [0, 0, 1, 2, 3, 255, 256, 257, 257, 300]) {
      const { head, time } = await ask(witness, await log.head({ size }));
      const rules = { witnesses: [witness.state.key], quorum: 1, since: time * 1000, until: time * 1000 };
      expect(await newestCosignatures(head.note, rules)).toEqual([
        { witness: witness.state.key, time: time * 1000 },
      ]);
      expect(await cosignedSize({ ...witness, state: openState(witness.state.folder) })).toBe(size);
    }
    expect(readdirSync(witness.state.folder).sort()).toEqual([
      expect.stringMatching(/^[0-9a-f]{64}\.checkpoint$/),
      'vkey',
    ]);
  });

  it('keeps the signature of the log and its own, and no other', async () => {
    const witness = await newWitness();
    const { note, ...head } = await log.head({ size: 3 });
    const stranger = {
      ...(await log.head({ size: 3, signer: noteSigner(ORIGIN, 'log') })).note.signatures[0],
      name: 'stranger.example',
    };
    const line = stranger as (typeof note.signatures)[number];
    const signatures = [line, ...note.signatures, line];
    const cosigned = await ask(witness, { ...head, note: { ...note, signatures } });
    expect(cosigned.head.note.signatures.map(({ name }) => name)).toEqual([ORIGIN, 'witness.example/w1']);
    const stored = await lastCosigned(witness.state, ORIGIN);
    expect(formatNote(stored?.head.note ?? note)).toBe(formatNote(cosigned.head.note));
  });

  it('keeps the logs apart', async () => {
    const witness = await newWitness();
    const other = testLog(pair, namedEntries('c', 3), 'other.example/log');
    await ask(witness, await log.head({ size: 9 }));
    expect((await ask(witness, await other.head({ size: 2 }), other, [log.key, other.key])).head.size).toBe(
      2,
    );
    expect(await cosignedSize(witness)).toBe(9);
  });

  it('accepts a new key of the log, if it is told, and the log stays consistent', async () => {
    const witness = await newWitness();
    const next = noteSigner(ORIGIN, 'log');
    await ask(witness, await log.head({ size: 5 }));
    await expect(ask(witness, await log.head({ size: 6, signer: next }))).rejects.toEqual(
      refusal('unsigned'),
    );
    expect(
      (await ask(witness, await log.head({ size: 6, signer: next }), log, [log.key, next.key])).head.size,
    ).toBe(6);
    const forked = await fork.head({ size: 7, signer: next });
    await expect(ask(witness, forked, fork, [next.key])).rejects.toEqual(refusal('inconsistent'));
  });
});

describe('a witness refuses', () => {
  it('a smaller head, an other root of the same size, and a fork, and remembers what it had', async () => {
    const witness = await newWitness();
    await ask(witness, await log.head({ size: 20 }));
    await expect(ask(witness, await log.head({ size: 19 }))).rejects.toEqual(refusal('conflict', 20));
    await expect(ask(witness, await log.head({ size: 0 }))).rejects.toEqual(refusal('conflict', 20));
    await expect(ask(witness, await fork.head({ size: 20 }))).rejects.toEqual(refusal('other-root', 20));
    await expect(ask(witness, await fork.head({ size: 21 }), fork)).rejects.toEqual(refusal('inconsistent'));
    await expect(ask(witness, await fork.head({ size: 21 }), log)).rejects.toEqual(refusal('inconsistent'));
    expect(await cosignedSize(witness)).toBe(20);
    expect((await ask(witness, await log.head({ size: 21 }))).head.size).toBe(21);
  });

  it('a head of size 0 with another root than that of the empty tree', async () => {
    const head = await log.head({ size: 1 });
    const text = head.note.text.replace('\n1\n', '\n0\n');
    const signature = log.signer.sign(text);
    const [own] = head.note.signatures;
    const signed = formatNote({ text, signatures: own === undefined ? [] : [{ ...own, signature }] });
    const empty = parseHead(signed, (message) => new Error(message));
    await expect(ask(await newWitness(), empty)).rejects.toEqual(refusal('other-root'));
  });

  it('a head that no known key of the log has signed', async () => {
    const witness = await newWitness();
    const head = await log.head({ size: 2 });
    await expect(ask(witness, head, log, [])).rejects.toEqual(refusal('unknown-log'));
    const elsewhere = testLog(pair, [], 'other.example/log').key;
    await expect(ask(witness, head, log, [elsewhere])).rejects.toEqual(refusal('unknown-log'));
    await expect(
      ask(witness, await log.head({ size: 2, signer: noteSigner(ORIGIN, 'log') })),
    ).rejects.toEqual(refusal('unsigned'));
    const [own, ...none] = head.note.signatures;
    expect(none).toEqual([]);
    const wrong = { ...own, signature: new Uint8Array(64) } as typeof own & object;
    for (const signatures of [[], [wrong], [own as typeof wrong, wrong]]) {
      const altered = { ...head, note: { ...head.note, signatures } };
      await expect(ask(witness, altered)).rejects.toEqual(refusal('unsigned'));
    }
    expect(await cosignedSize(witness)).toBeUndefined();
  });

  it('to sign with a key that is not that of its state', async () => {
    const witness = { ...(await newWitness()), signer: await newSigner() };
    await expect(ask(witness, await log.head({ size: 2 }))).rejects.toMatchObject({
      code: 'ERR_KEY_REJECTED',
    });
    expect(await cosignedSize(witness)).toBeUndefined();
  });

  it('to answer if its state cannot be read', async () => {
    const witness = await newWitness();
    await ask(witness, await log.head({ size: 2 }));
    const [file = ''] = readdirSync(witness.state.folder);
    const path = join(witness.state.folder, file);
    const before = readFileSync(path);
    rmSync(path);
    mkdirSync(path);
    await expect(ask(witness, await log.head({ size: 3 }))).rejects.toMatchObject({ code: 'ERR_IO_FAILED' });
    rmSync(path, { recursive: true });
    writeFileSync(path, before);
    expect((await ask(witness, await log.head({ size: 3 }))).head.size).toBe(3);
  });
});

describe('the time of a cosignature', () => {
  /** Cosigns at a time in seconds. */
  async function timeAt(witness: Cosigner, seconds: number, size: number): Promise<number> {
    vi.useFakeTimers({ toFake: ['Date'], now: seconds * 1000 + 999 });
    return (await ask(witness, await log.head({ size }))).time;
  }

  it('is that of the clock, and never goes back', async () => {
    const witness = await newWitness();
    expect(await timeAt(witness, 1_800_000_000, 2)).toBe(1_800_000_000);
    expect(await timeAt(witness, 1_800_000_060, 2)).toBe(1_800_000_060);
    expect(await timeAt(witness, 1_800_000_000, 2)).toBe(1_800_000_060);
    expect(await timeAt(witness, 1_799_999_760, 3)).toBe(1_800_000_060);
    const before = timeAt(witness, 1_799_999_759, 4);
    await expect(before).rejects.toMatchObject({
      code: 'ERR_IO_FAILED',
      message: expect.stringContaining('2027-01-15T08:01:00Z'),
    });
    expect(await cosignedSize(witness)).toBe(3);
  });

  it('is written only if it has changed, so that repeated requests cost no writing', async () => {
    const witness = await newWitness();
    await timeAt(witness, 1_800_000_000, 2);
    const sign = vi.spyOn(witness.signer, 'sign');
    await timeAt(witness, 1_800_000_000, 2);
    expect(sign).not.toHaveBeenCalled();
    await timeAt(witness, 1_800_000_000, 3);
    await timeAt(witness, 1_800_000_001, 3);
    expect(sign).toHaveBeenCalledTimes(2);
  });
});

describe('the state of a witness', () => {
  it('is created once, in a folder of its own', () => {
    const folder = join(temporaryFolder(), 'witness', 'state');
    createState(folder, 'x');
    expect(() => createState(folder, 'x')).toThrow(expect.objectContaining({ code: 'ERR_USAGE' }));
  });

  it('is never created by opening it', () => {
    const folder = join(temporaryFolder(), 'state');
    for (const make of [() => undefined, () => mkdirSync(folder)]) {
      make();
      expect(() => openState(folder)).toThrow(
        expect.objectContaining({
          code: 'ERR_USAGE',
          message: expect.stringContaining('is not the state of a witness'),
        }),
      );
    }
  });

  it.each<[string, (text: string) => string]>([
    ['is empty', () => ''],
    ['is cut', (text) => text.slice(0, -20)],
    ['is for another size', (text) => text.replace('\n7\n', '\n6\n')],
    ['lacks the cosignature', (text) => text.replace(/— witness.*\n/, '')],
    ['is about another log', (text) => text.replace(ORIGIN, 'other.example/log')],
  ])('that %s stops the witness', async (_name, alter) => {
    const witness = await newWitness();
    await ask(witness, await log.head({ size: 7 }));
    const [file = ''] = readdirSync(witness.state.folder);
    const path = join(witness.state.folder, file);
    const before = readFileSync(path, 'utf8');
    writeFileSync(path, alter(before));
    expect(alter(before)).not.toBe(before);
    await expect(ask(witness, await log.head({ size: 8 }))).rejects.toMatchObject({
      code: 'ERR_IO_FAILED',
      message: expect.stringContaining('damaged'),
    });
  });

  it('of another witness stops the witness', async () => {
    const [one, other] = [await newWitness(), await newWitness()];
    await ask(one, await log.head({ size: 7 }));
    const [file = ''] = readdirSync(one.state.folder);
    writeFileSync(join(other.state.folder, file), readFileSync(join(one.state.folder, file)));
    await expect(ask(other, await log.head({ size: 8 }))).rejects.toMatchObject({ code: 'ERR_IO_FAILED' });
  });
});
