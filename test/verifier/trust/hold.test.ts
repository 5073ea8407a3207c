import { type Checkpoint, verifyCheckpoint } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkpoint,
  delegation,
  type Files,
  issuer,
  publish,
  type TestKey,
  testKey,
} from '../../support/publication.js';

let [root, online] = [] as unknown as [TestKey, TestKey];
let files: Files;
beforeAll(async () => {
  [root, online] = await Promise.all([testKey(), testKey('p256')]);
  files = publish(root, [issuer('a')]);
});

/** Ids of the greatest length, in ascending order. */
const ids = (count: number) =>
  Array.from({ length: count }, (_, index) => `${String(index).padStart(3, '0')}${'x'.repeat(125)}`);

interface Signed {
  readonly hold?: unknown;
  /** The claim of the delegation. */
  readonly permission?: unknown;
  readonly signer?: TestKey;
  readonly exp?: number;
  readonly expiry?: boolean;
}

async function verified({ expiry = true, ...signed }: Signed): Promise<Checkpoint> {
  const { permission, signer = online, ...claims } = signed;
  const texts = {
    checkpoint: await checkpoint(files, signer, claims),
    delegation: signer === root ? undefined : await delegation(root, online, { hold: permission }),
  };
  return verifyCheckpoint(texts, root.rootKey, {
    clock: { now: Date.now(), tolerance: 0 },
    expiry,
  });
}

const codeOf = (signed: Signed) =>
  verified(signed).then(
    () => 'accepted',
    ({ code }) => code,
  );

describe('the hold of a checkpoint', () => {
  it('is a list of ids, or absent', async () => {
    expect((await verified({ hold: ['a', 'not-listed'], permission: true })).hold).toEqual([
      'a',
      'not-listed',
    ]);
    expect((await verified({ permission: true })).hold).toEqual([]);
    expect((await verified({})).hold).toEqual([]);
  });

  it('names at most 64 issuers, even those with the longest ids', async () => {
    expect((await verified({ hold: ids(64), permission: true })).hold).toHaveLength(64);
    expect(await codeOf({ hold: ids(65), permission: true })).toBe('ERR_CHECKPOINT_INVALID');
    expect(await codeOf({ hold: ids(65), signer: root })).toBe('ERR_CHECKPOINT_INVALID');
  });

  it('is in strictly ascending order of code units', async () => {
    for (const hold of [
      ['a', 'b'],
      ['a-b', 'a.b', 'a0', 'a_b', 'aa'],
      ['1', '10', '2'],
    ]) {
      expect(await codeOf({ hold, permission: true }), String(hold)).toBe('accepted');
    }
    for (const hold of [
      ['b', 'a'],
      ['a', 'a'],
      ['a', 'b', 'b'],
      ['a_b', 'a0'],
      ['2', '10'],
    ]) {
      expect(await codeOf({ hold, permission: true }), String(hold)).toBe('ERR_CHECKPOINT_INVALID');
    }
  });

  it.each([
    ['an empty array', []],
    ['null', null],
    ['a text', 'a'],
    ['an object', { 0: 'a', length: 1 }],
    ['true', true],
    ['an empty id', ['']],
    ['an id in upper case', ['A']],
    ['an id with a path', ['../a']],
    ['a reserved id', ['index']],
    ['an id that is too long', [`${'x'.repeat(129)}`]],
    ['a number', [1]],
    ['null in the array', [null]],
    ['an array in the array', [['a']]],
  ])('is not %s', async (_, hold) => {
    expect(await codeOf({ hold, permission: true })).toBe('ERR_CHECKPOINT_INVALID');
    expect(await codeOf({ hold, signer: root })).toBe('ERR_CHECKPOINT_INVALID');
  });

  it('by an online key needs the permission of the delegation', async () => {
    expect(await codeOf({ hold: ['a'], permission: true })).toBe('accepted');
    expect(await codeOf({ hold: ['a'] })).toBe('ERR_CHECKPOINT_INVALID');
  });

  it.each([false, null, 'true', 1, [], {}, ['a']])(
    'is refused with a delegation that says %j, and so is the delegation',
    async (permission) => {
      expect(await codeOf({ hold: ['a'], permission })).toBe('ERR_DELEGATION_INVALID');
      expect(await codeOf({ permission })).toBe('ERR_DELEGATION_INVALID');
    },
  );

  it('by the root key needs no permission', async () => {
    expect((await verified({ hold: ['a'], signer: root })).hold).toEqual(['a']);
  });

  it('ends with its checkpoint for clients, and can still be read by publishers', async () => {
    const exp = Math.floor(Date.now() / 1000) - 1;
    const expired = { hold: ['a'], permission: true, exp };
    expect(await codeOf(expired)).toBe('ERR_CHECKPOINT_EXPIRED');
    expect((await verified({ ...expired, expiry: false })).hold).toEqual(['a']);
  });
});
