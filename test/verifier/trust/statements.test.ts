import type { RegistryError } from '@passport-registry/verifier';
import { readCompactJws, verifyCheckpoint, verifyCompactJws } from '@passport-registry/verifier/core';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { statement, type TestKey, testKey } from '../../support/publication.js';

const TYP = 'registry-checkpoint+jwt';
let key: TestKey;
let jwt: string;

beforeAll(async () => {
  key = await testKey();
  jwt = await statement(key, TYP, { iat: 1, exp: 2 });
});

describe('the reader of compact JWS', () => {
  it('reads a text, and the bytes of a file', async () => {
    for (const form of [jwt, new TextEncoder().encode(jwt)]) {
      const jws = readCompactJws(form, [TYP]);
      expect(jws.payload).toEqual({ iat: 1, exp: 2 });
      await verifyCompactJws(jws, key.rootKey);
    }
  });
});

describe('the times of a statement', () => {
  const HASH = 'a'.repeat(64);
  const verdict = async (claims: Record<string, unknown>, seconds: number) => {
    const text = await new SignJWT({ publication: HASH, tree_sha256: HASH, ...claims })
      .setProtectedHeader({ alg: 'Ed25519', typ: TYP, kid: key.rootKey.thumbprint })
      .sign(key.privateKey);
    const clock = { now: seconds * 1000, tolerance: 300_000 };
    try {
      await verifyCheckpoint(text, { rootKey: key.rootKey, online: undefined }, { clock, expiry: true });
      return 'valid';
    } catch (error) {
      return (error as RegistryError).code;
    }
  };

  it.each<[string, number, Record<string, unknown>, string]>([
    ['under a clock that tells no time', Number.NaN, { iat: 1000, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['at an exp that no Date can hold', 1500, { iat: 1000, exp: 2 ** 53 - 1 }, 'ERR_CHECKPOINT_INVALID'],
    [
      'before an iat that no Date can hold',
      1500,
      { iat: 2 ** 53 - 1, exp: 2 ** 53 - 1 },
      'ERR_NOT_YET_VALID',
    ],
  ])('%s', async (_name, seconds, claims, expected) => {
    expect(await verdict(claims, seconds)).toBe(expected);
  });
});
