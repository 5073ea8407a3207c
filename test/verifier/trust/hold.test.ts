import {
  ANY_TIME,
  type Checkpoint,
  verifyCheckpoint,
  verifyPublicationStatement,
} from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import {
  checkpoint,
  type Files,
  issuer,
  publish,
  type TestKey,
  testKey,
  withOnlineKey,
} from '../../support/publication.js';

let [root, online] = [] as unknown as [TestKey, TestKey];
let files: Files;
beforeAll(async () => {
  [root, online] = await Promise.all([testKey(), testKey('p256')]);
  files = publish(root, [issuer('a')]);
});

interface Signed {
  readonly hold?: unknown;
  /** What the publication says. */
  readonly permission?: boolean;
  readonly signer?: TestKey;
  readonly exp?: number;
  readonly expiry?: boolean;
}

async function verified({ expiry = true, ...signed }: Signed): Promise<Checkpoint> {
  const { permission: hold = false, signer = online, ...claims } = signed;
  const named = withOnlineKey(files, root, online, { hold });
  const text = String(named.get('publication.jwt'));
  const { online: keys } = await verifyPublicationStatement(text, root.rootKey, ANY_TIME);
  const signers = { rootKey: root.rootKey, online: keys };
  return verifyCheckpoint(await checkpoint(named, signer, claims), signers, {
    clock: { now: Date.now(), tolerance: 0 },
    expiry,
  });
}

const codeOf = (signed: Signed) =>
  verified(signed).then(
    () => 'accepted',
    ({ code }) => code,
  );

/** The conformance kit has what a hold may be, and what not. */
describe('the hold of a checkpoint', () => {
  it('is a list of ids, or absent', async () => {
    expect((await verified({ hold: ['a', 'not-listed'], permission: true })).hold).toEqual([
      'a',
      'not-listed',
    ]);
    expect((await verified({ permission: true })).hold).toEqual([]);
    expect((await verified({})).hold).toEqual([]);
  });

  it.each([[[]], [['not an id']], ['a'], [{}], [null], [[1]], [['b', 'a']], [['a', 'a']]])(
    'is not %j',
    async (hold) => {
      expect(await codeOf({ hold, permission: true })).toBe('ERR_CHECKPOINT_INVALID');
    },
  );

  it('names at most 64 issuers', async () => {
    const ids = Array.from({ length: 65 }, (_one, index) => `issuer-${10 + index}`);
    expect(await codeOf({ hold: ids.slice(1), permission: true })).toBe('accepted');
    expect(await codeOf({ hold: ids, permission: true })).toBe('ERR_CHECKPOINT_INVALID');
  });

  it('by an online key needs the permission of the publication', async () => {
    expect(await codeOf({ hold: ['a'], permission: true })).toBe('accepted');
    expect(await codeOf({ hold: ['a'] })).toBe('ERR_CHECKPOINT_INVALID');
  });

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
