import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { PassportClient } from '@passport-registry/passports';
import { signMandate } from '@passport-registry/passports/agent';
import { assertTrustAnchor, importRootKey, openRegistry, walkRotation } from '@passport-registry/verifier';
import { calculateJwkThumbprint } from 'jose';
import { describe, expect, it } from 'vitest';
import {
  BAD_KEYS,
  ed25519Jwk,
  GOOD_POINT,
  namedBadKey,
  p256Jwk,
  SMALL_POINT,
  ZERO_POINT,
} from '../../support/bad-keys.js';
import fc from '../../support/fast-check.js';
import { keyIdOf } from '../../support/note-keys.js';
import {
  agentKeys,
  encodedJws,
  fetchOf,
  instant,
  issuerKey,
  issuerWorld,
  PAYLOAD,
  passportOf,
  proofClaims,
  tokenOf,
  verifierOf,
} from '../../support/passport-world.js';
import { at, issuer, publish, statement, testKey, withOnlineKey } from '../../support/publication.js';
import { copyIn } from '../../support/sources.js';

const NAMES = Object.keys(BAD_KEYS);
const GOOD_ED25519 = ed25519.getPublicKey(new Uint8Array(32).fill(1));
const reasons = ({ reasons: [first] }: { reasons: readonly { code: string }[] }) => first?.code;

describe.each(NAMES)('%s', (name) => {
  it('is no root key', async () => {
    await expect(importRootKey(BAD_KEYS[name])).rejects.toMatchObject({ code: 'ERR_ROOT_KEY_INVALID' });
  });

  it('is no key of an agent', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const passport = await passportOf(world, await agentKeys(), { cnf: { jwk: BAD_KEYS[name] } });
    const token = await tokenOf(world, passport);
    const verifier = await verifierOf([world]);
    expect(reasons(await verifier.verifyPassport(token))).toBe('token-claims');
    const client = new PassportClient(token, world.url, { fetch: fetchOf([world]) });
    expect(reasons(await client.verifyAction('email.send', PAYLOAD))).toBe('token-claims');
  });
});

/** One of each kind; all kinds go through the same door. */
const SOME = NAMES.filter((name) => /point [0-3] of|p \+ 0, sign 0|y = 2|P-256/.test(name));

describe.each(SOME)('%s', (name) => {
  it('is no next root key', async () => {
    const root = await testKey();
    const step = await statement(root, 'registry-root-rotation+jwt', {
      iat: 1,
      next_root: await namedBadKey(name),
    });
    await expect(walkRotation(root.rootKey, [step])).rejects.toMatchObject({
      code: 'ERR_ROTATION_INVALID',
    });
  });

  it('is no online key', async () => {
    const [root, online] = [await testKey(), await testKey()];
    const keys = [online.rootKey.jwk, await namedBadKey(name)];
    const files = withOnlineKey(publish(root, [issuer('alpha')], at(-60)), root, online, { keys });
    await expect(
      openRegistry(copyIn(files), { rootKey: root.rootKey.jwk, maxAge: 3600 }),
    ).rejects.toMatchObject({ code: 'ERR_PUBLICATION_INVALID' });
  });

  it('is no key of an issuer', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    world.documents.set('/jwks.json', { keys: [{ ...BAD_KEYS[name], kid: world.key.kid }] });
    const token = await tokenOf(world, await passportOf(world, await agentKeys()));
    expect(reasons(await (await verifierOf([world])).verifyPassport(token))).toBe('key-unusable');
  });

  it('is no key of a principal', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const jwk = BAD_KEYS[name] as Record<string, string>;
    const alg = jwk['kty'] === 'EC' ? 'ES256' : 'EdDSA';
    const claims = {
      mandate_id: 'm',
      scope: ['email.send'],
      issued_at: instant(-5),
      expires_at: instant(60),
    };
    const passport = await passportOf(world, await agentKeys(), {
      mandate: encodedJws({ alg, typ: 'mandate+jwt', jwk }, claims),
      principal_jkt: await calculateJwkThumbprint(jwk),
    });
    const verifier = await verifierOf([world]);
    expect(reasons(await verifier.verifyPassport(await tokenOf(world, passport)))).toBe('mandate-header');
  });
});

describe.each(NAMES.filter((name) => name.startsWith('Ed25519')))('%s', (name) => {
  it('is no key of a witness', () => {
    const point = Buffer.from(BAD_KEYS[name]?.['x'] ?? '', 'base64url');
    /** The anchor whose witness has this key. */
    const anchorWith = (bytes: Uint8Array) => {
      const [witness, type] = ['witness.example/w', 4];
      const key = Buffer.from([type, ...bytes]).toString('base64');
      const vkey = `${witness}+${keyIdOf(witness, type, bytes)}+${key}`;
      return { root: GOOD_POINT, log: 'registry.example/log', witnesses: [vkey], quorum: 1 };
    };
    const code = 'ERR_TRUST_ANCHOR_INVALID';
    expect(() => assertTrustAnchor(anchorWith(GOOD_ED25519))).not.toThrow();
    expect(() => assertTrustAnchor(anchorWith(point))).toThrow(expect.objectContaining({ code }));
  });
});

describe('the identity as the key of an agent', () => {
  it('lets no constant pass as a proof', async () => {
    const world = await issuerWorld('alpha', await issuerKey());
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]);
    const passport = await passportOf(world, await agentKeys(), { cnf: { jwk: ed25519Jwk(identity) } });
    const token = await tokenOf(world, passport);
    // R = the identity, S = 0: verifies over any message for a key of order 1.
    const constant = Buffer.concat([identity, Buffer.alloc(32)]);
    const proof = encodedJws({ alg: 'EdDSA', typ: 'action+jwt' }, proofClaims(token, passport), constant);
    const verdict = await (await verifierOf([world])).verifyAction({
      token,
      action: 'email.send',
      payload: PAYLOAD,
      proof,
    });
    expect([verdict.allowed, reasons(verdict)]).toEqual([false, 'token-claims']);
  });
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

  it('signs a mandate as before', async () => {
    const agentKey = (await issuerKey()).jwk;
    const mandate = { mandate_id: 'm', scope: [], issued_at: instant(-5), expires_at: instant(60) };
    expect(await signMandate({ principalKeys: await agentKeys('P-256'), agentKey, mandate })).toMatch(/^ey/);
  });
});
