import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { importRootKey } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';
import {
  BAD_KEYS,
  ed25519Jwk,
  GOOD_POINT,
  p256Jwk,
  SMALL_POINT,
  ZERO_POINT,
} from '../../support/bad-keys.js';
import fc from '../../support/fast-check.js';

it.each(Object.entries(BAD_KEYS))('%s is no root key', async (_name, jwk) => {
  await expect(importRootKey(jwk)).rejects.toMatchObject({ code: 'ERR_ROOT_KEY_INVALID' });
});

describe('a public key', () => {
  const accepted = (jwk: object) =>
    importRootKey(jwk).then(
      () => true,
      () => false,
    );
  const byNoble = (point: () => { isSmallOrder?(): boolean }) => {
    try {
      return !(point().isSmallOrder?.() ?? false);
    } catch {
      return false;
    }
  };
  const key32 = fc.uint8Array({ minLength: 32, maxLength: 32 });

  it('of Ed25519 is accepted where @noble/curves takes it, strictly, for a point that is not of small order', async () => {
    await fc.assert(
      fc.asyncProperty(key32, async (bytes) => {
        expect(await accepted(ed25519Jwk(bytes))).toBe(byNoble(() => ed25519.Point.fromBytes(bytes, false)));
      }),
      { numRuns: 400 },
    );
  });

  it('of Ed25519 is accepted where somebody has the private key', async () => {
    await fc.assert(
      fc.asyncProperty(key32, async (secret) => {
        expect(await accepted(ed25519Jwk(ed25519.getPublicKey(secret)))).toBe(true);
      }),
    );
  });

  it('of P-256 is accepted where @noble/curves takes it for a point', async () => {
    const coordinate = fc.bigInt({ min: 0n, max: 2n ** 256n - 1n });
    await fc.assert(
      fc.asyncProperty(coordinate, coordinate, async (x, y) => {
        const jwk = p256Jwk(x, y);
        const point = Buffer.concat([
          Buffer.from([4]),
          ...['x', 'y'].map((name) => Buffer.from(jwk[name as 'x'], 'base64url')),
        ]);
        expect(await accepted(jwk)).toBe(byNoble(() => p256.Point.fromBytes(point)));
      }),
    );
    const secret = p256.utils.randomSecretKey();
    const { x, y } = p256.Point.fromBytes(p256.getPublicKey(secret, false)).toAffine();
    expect(await accepted(p256Jwk(x, y))).toBe(true);
    for (const point of [GOOD_POINT, SMALL_POINT, ZERO_POINT]) expect(await accepted(point)).toBe(true);
  });
});
