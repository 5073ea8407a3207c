import { generateKeyPairSync } from 'node:crypto';
import { importRootKey, RootKeyInvalid } from '@passport-registry/verifier';
import { describe, expect, it } from 'vitest';

/** RFC 8037, appendix A. */
const ed25519 = { kty: 'OKP', crv: 'Ed25519', x: '11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo' };
const p256 = {
  kty: 'EC',
  crv: 'P-256',
  x: 'f83OJ3D2xF1Bg8vub9tLe1gHMzV76e8Tus9uPHvRVEU',
  y: 'x_FEzRu9m36HLN_tue659LNpXW6pCyStikYjKIWI5a0',
};

describe('importRootKey', () => {
  it('gives the thumbprint of RFC 8037, appendix A.3', async () => {
    const { thumbprint, algorithm, jwk } = await importRootKey(ed25519);
    expect(thumbprint).toBe('kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k');
    expect(algorithm).toBe('Ed25519');
    expect(jwk).toEqual({ ...ed25519, kid: thumbprint });
  });

  it('takes P-256, a null kid, a null y on Ed25519, and members that do not matter', async () => {
    expect((await importRootKey({ ...p256, kid: null, use: 'sig', alg: 'ES256' })).algorithm).toBe('ES256');
    expect((await importRootKey({ ...ed25519, y: null })).jwk).not.toHaveProperty('y');
    const { jwk } = await importRootKey({ ...p256, use: 'sig' });
    expect(Object.keys(jwk).sort()).toEqual(['crv', 'kid', 'kty', 'x', 'y']);
  });

  const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' });
  const p384 = generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' });
  const x25519 = generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' });
  const privateJwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  it.each<[string, unknown]>([
    ['undefined', undefined],
    ['null', null],
    ['a text', JSON.stringify(ed25519)],
    ['an array', [ed25519]],
    ['an RSA key', rsa],
    ['P-384', p384],
    ['X25519', x25519],
    ['a symmetric key', { kty: 'oct', k: 'AAAA' }],
    ['Ed25519 called EC', { ...ed25519, kty: 'EC' }],
    ['P-256 called OKP', { ...p256, kty: 'OKP' }],
    ['a private key', privateJwk],
    ['an empty private member', { ...ed25519, d: '' }],
    ['P-256 without y', { ...p256, y: undefined }],
    ['P-256 with a null y', { ...p256, y: null }],
    ['Ed25519 with y', { ...ed25519, y: p256.y }],
    ['a point off the curve', { ...p256, y: p256.x }],
    ['a short x', { ...ed25519, x: ed25519.x.slice(1) }],
    ['a padded x', { ...ed25519, x: `${ed25519.x}=` }],
    ['stray bits in x', { ...ed25519, x: `${ed25519.x.slice(0, -1)}p` }],
    ['another key as kid', { ...ed25519, kid: 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4M' }],
    ['a kid of one’s own', { ...ed25519, kid: 'root-2026' }],
  ])('refuses %s', async (_name, jwk) => {
    await expect(importRootKey(jwk)).rejects.toThrow(RootKeyInvalid);
    await expect(importRootKey(jwk)).rejects.toMatchObject({ code: 'ERR_ROOT_KEY_INVALID' });
  });

  it('never quotes a private key', async () => {
    const error: Error = await importRootKey(privateJwk).catch((thrown) => thrown);
    expect(`${error.message} ${error.stack}`).not.toContain(privateJwk.d);
  });
});
