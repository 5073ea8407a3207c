import { generateKeyPairSync } from 'node:crypto';
import { importRootKey } from '@passport-registry/verifier';
import { formatNoteKey, parseNoteKey } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { generatePair, Invalid, invalid, keyIdOf, noteSigner } from '../../support/note-keys.js';
import { ED25519_JWK as ed25519, P256_JWK as p256 } from '../../support/rfc-keys.js';

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

  const privateJwk = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' });
  it('never quotes a private key', async () => {
    const error: Error = await importRootKey(privateJwk).catch((thrown) => thrown);
    expect(`${error.message} ${error.stack}`).not.toContain(privateJwk.d);
  });
});

/** The example of C2SP signed-note. */
const EXAMPLE = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';

const parse = (vkey: unknown, purpose: 'log' | 'witness' = 'log') => parseNoteKey(vkey, purpose, invalid);

/** Writes a verifier key whose id is right, of any type and any name. */
function vkeyOf(name: string, publicKey: Uint8Array, type = 1): string {
  const encoded = Buffer.from([type, ...publicKey]).toString('base64');
  return `${name}+${keyIdOf(name, type, publicKey)}+${encoded}`;
}

const publicKeyOf = (jwk: { readonly x?: string }) => new Uint8Array(Buffer.from(jwk.x ?? '', 'base64url'));
const publicKey = publicKeyOf(generatePair().publicKey.export({ format: 'jwk' }));

describe('a verifier key', () => {
  it('of the example of C2SP is parsed, and formatted the same', () => {
    const key = parse(EXAMPLE);
    expect(key).toMatchObject({ name: 'example.com/foo', keyId: '530d903a' });
    expect(formatNoteKey(key.name, 'log', key.jwk.x)).toBe(EXAMPLE);
  });

  it.each(['log', 'witness'] as const)('of a %s has the id that C2SP describes', (purpose) => {
    const { key, vkey } = noteSigner('witness.example/w1', purpose);
    const type = purpose === 'log' ? 1 : 4;
    expect(key.keyId).toBe(keyIdOf(key.name, type, publicKeyOf(key.jwk)));
    expect(vkey).toBe(vkeyOf(key.name, publicKeyOf(key.jwk), type));
    expect(parse(vkey, purpose)).toEqual(key);
  });

  it('of one purpose is refused for the other', () => {
    expect(() => parse(EXAMPLE, 'witness')).toThrow(Invalid);
    expect(() => parse(noteSigner('a', 'witness').vkey)).toThrow(Invalid);
  });

  it.each([0, 2, 3, 5, 6, 0xff])('of type %i is refused', (type) => {
    const vkey = vkeyOf('a', publicKey, type);
    expect(() => parse(vkey)).toThrow(Invalid);
    expect(() => parse(vkey, 'witness')).toThrow(Invalid);
  });

  it('may have any name without spaces and plus', () => {
    for (const name of [
      'a',
      'A:8080/log',
      '\u2014',
      'é',
      '\u{1F600}',
      '\ufeff',
      '\u200b',
      'x'.repeat(1000),
    ]) {
      expect(parse(vkeyOf(name, publicKey)).name).toBe(name);
    }
  });

  it.each<[string, string]>([
    ['no name', ''],
    ['a plus in the name', 'a+b'],
    ['a space in the name', 'a b'],
    ['a tab in the name', 'a\tb'],
    ['a newline in the name', 'a\n'],
    ['a next line in the name', 'a\u0085'],
    ['a no-break space in the name', 'a\u00a0'],
    ['an ogham space in the name', 'a\u1680'],
    ['an em space in the name', 'a\u2003'],
    ['a line separator in the name', 'a\u2028'],
    ['an ideographic space in the name', 'a\u3000'],
    ['a lone surrogate in the name', 'a\ud800'],
  ])('with %s is refused', (_name, name) => {
    expect(() => parse(vkeyOf(name, publicKey))).toThrow(Invalid);
  });

  it.each<[string, (vkey: string) => unknown]>([
    ['nothing', () => ''],
    ['a number', () => 7],
    ['undefined', () => undefined],
    ['an array with it', (vkey) => [vkey]],
    ['a name alone', () => 'example.com/foo'],
    ['no key', (vkey) => vkey.slice(0, vkey.lastIndexOf('+') + 1)],
    ['an id in upper case', (vkey) => vkey.replace('530d903a', '530D903A')],
    ['an id of 7 digits', (vkey) => vkey.replace('530d903a', '530d903')],
    ['an id of 9 digits', (vkey) => vkey.replace('530d903a', '0530d903a')],
    ['a space before', (vkey) => ` ${vkey}`],
    ['a newline after', (vkey) => `${vkey}\n`],
    ['a key of 32 bytes', (vkey) => `${vkey.slice(0, vkey.lastIndexOf('+') + 1)}${'A'.repeat(43)}=`],
    ['a key of 34 bytes', (vkey) => `${vkey}AA==`],
    ['a key in base64url', (vkey) => `${vkey.slice(0, -1)}_`],
  ])('that is %s is refused', (_name, change) => {
    expect(() => parse(change(EXAMPLE))).toThrow(Invalid);
  });

  it('with the id of another key or name is refused', () => {
    expect(() => parse(EXAMPLE.replace('530d903a', '530d903b'))).toThrow(Invalid);
    expect(() => parse(EXAMPLE.replace('foo', 'fop'))).toThrow(Invalid);
    expect(() => parse(`${EXAMPLE.slice(0, -1)}l`)).toThrow(Invalid);
  });

  it.each<[string, string]>([
    ['the neutral element', `01${'00'.repeat(31)}`],
    ['a point of order 2', `ec${'ff'.repeat(30)}7f`],
    ['a point of order 4', '00'.repeat(32)],
    ['no point', `02${'00'.repeat(31)}`],
    ['a coordinate beyond the field', 'ff'.repeat(32)],
  ])('that is %s is refused, for everybody could sign for it', (_name, point) => {
    const bytes = new Uint8Array(Buffer.from(point, 'hex'));
    expect(() => parse(vkeyOf('a', bytes))).toThrow();
    expect(() => parse(vkeyOf('a', bytes, 4), 'witness')).toThrow();
  });
});
