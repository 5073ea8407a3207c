import { generateKeyPairSync } from 'node:crypto';
import { importRootKey, type TrustAnchor } from '@passport-registry/verifier';
import { formatNoteKey, isSignedByNoteKey, logTrustOf, parseNoteKey } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { flipped } from '../../support/merkle.js';
import { generatePair, invalid, keyIdOf, type NoteSigner, noteSigner } from '../../support/note-keys.js';
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
    await expect(importRootKey(jwk)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_ROOT_KEY_INVALID' }),
    );
    await expect(importRootKey(jwk)).rejects.toMatchObject({ code: 'ERR_ROOT_KEY_INVALID' });
  });

  it('never quotes a private key', async () => {
    const error: Error = await importRootKey(privateJwk).catch((thrown) => thrown);
    expect(`${error.message} ${error.stack}`).not.toContain(privateJwk.d);
  });
});

/** The example of C2SP signed-note. */
const EXAMPLE = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const FORM = 'is not in the form <name>+<id>+<base64>';

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
    expect(() => parse(EXAMPLE, 'witness')).toThrow('is not the key of a witness');
    expect(() => parse(noteSigner('a', 'witness').vkey)).toThrow('is not the key of a log');
  });

  it.each([0, 2, 3, 5, 6, 0xff])('of type %i is refused', (type) => {
    const vkey = vkeyOf('a', publicKey, type);
    expect(() => parse(vkey)).toThrow('is not the key of a log');
    expect(() => parse(vkey, 'witness')).toThrow('is not the key of a witness');
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
    expect(() => parse(vkeyOf(name, publicKey))).toThrow(FORM);
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
    expect(() => parse(change(EXAMPLE))).toThrow(FORM);
  });

  it('with the id of another key or name is refused', () => {
    expect(() => parse(EXAMPLE.replace('530d903a', '530d903b'))).toThrow('has an id that does not belong');
    expect(() => parse(EXAMPLE.replace('foo', 'fop'))).toThrow('has an id that does not belong');
    expect(() => parse(`${EXAMPLE.slice(0, -1)}l`)).toThrow('has an id that does not belong');
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

describe('a signature of a note', () => {
  const signer = noteSigner('log.example/log', 'log');
  const text = 'some text\n';
  const good = signer.sign(text);
  const isValid = (signature: Uint8Array, by = signer, of = text) => isSignedByNoteKey(by.key, signature, of);

  it('is an Ed25519 signature over the UTF-8 of the text', async () => {
    expect(await isValid(good)).toBe(true);
    const accents = 'è subito sera\n';
    expect(await isValid(signer.sign(accents), signer, accents)).toBe(true);
    for (const bit of [0, 100, 255, 256, 511]) expect(await isValid(flipped(good, bit))).toBe(false);
    expect(await isValid(good, signer, 'some text')).toBe(false);
    expect(await isValid(good, noteSigner('log.example/log', 'log'))).toBe(false);
  });

  it.each([0, 1, 63, 65, 72, 128])('of %i bytes is not valid', async (length) => {
    const bytes = new Uint8Array(length);
    bytes.set(good.subarray(0, Math.min(64, length)));
    expect(await isValid(bytes)).toBe(false);
  });

  it('whose number is not reduced is not valid', async () => {
    const order = 2n ** 252n + 27742317777372353535851937790883648493n;
    const scalar = BigInt(`0x${Buffer.from(good.subarray(32)).reverse().toString('hex')}`) + order;
    const tail = Buffer.from(scalar.toString(16).padStart(64, '0'), 'hex').reverse();
    expect(await isValid(Uint8Array.from([...good.subarray(0, 32), ...tail]))).toBe(false);
  });
});

const LOG = 'registry.example/log';
const [one, two, three] = [1, 2, 3].map((number) => noteSigner(`witness.example/w${number}`, 'witness')) as [
  NoteSigner,
  NoteSigner,
  NoteSigner,
];
const all = [one, two, three].map(({ vkey }) => vkey);

const trustOf = (members: Omit<TrustAnchor, 'root'>) => logTrustOf(members);

describe('what a trust anchor says of the log', () => {
  it('is nothing if it has none of the members', () => {
    expect(trustOf({})).toBe(undefined);
    expect(trustOf({ sources: ['https://registry.example'] })).toBe(undefined);
  });

  it('may be the log alone: lists must be logged, and no witness is needed', () => {
    expect(trustOf({ log: LOG })).toEqual({ origin: LOG, witnesses: [], quorum: 0 });
  });

  it.each([1, 2, 3])('is the log, its witnesses and a quorum of %i', (quorum) => {
    const witnesses = [one.key, two.key, three.key];
    expect(trustOf({ log: LOG, witnesses: all, quorum })).toEqual({ origin: LOG, witnesses, quorum });
  });

  const renamed = (() => {
    const pair = generatePair();
    return [noteSigner('first.example', 'witness', pair), noteSigner('second.example', 'witness', pair)];
  })().map(({ vkey }) => vkey);
  const ofLog = noteSigner(LOG, 'log').vkey;

  it.each<[string, Omit<TrustAnchor, 'root'>, string]>([
    ['a quorum alone', { log: LOG, quorum: 1 }, 'witnesses and quorum need each other'],
    ['witnesses alone', { log: LOG, witnesses: all }, 'witnesses and quorum need each other'],
    ['a quorum without a log', { quorum: 1 }, 'witnesses and quorum need each other'],
    [
      'witnesses without a log',
      { witnesses: all, quorum: 2 },
      'witnesses and quorum need each other, and log',
    ],
    [
      'a quorum that is never reached',
      { log: LOG, witnesses: all, quorum: 4 },
      'quorum is 4, but there are only 3 witnesses',
    ],
    [
      'the same witness twice',
      { log: LOG, witnesses: [all[0] ?? '', ...all], quorum: 1 },
      'witnesses[1] has the public key of an earlier witness',
    ],
    [
      'one key under two names',
      { log: LOG, witnesses: [...all, ...renamed], quorum: 1 },
      'witnesses[4] has the public key of an earlier witness',
    ],
    [
      'the key of a log',
      { log: LOG, witnesses: [all[0] ?? '', ofLog], quorum: 1 },
      'witnesses[1] is not the key of a witness',
    ],
    ['no key', { log: LOG, witnesses: ['none'], quorum: 1 }, 'witnesses[0] is not in the form'],
    [
      'a key with the id of another',
      { log: LOG, witnesses: [(all[0] ?? '').replace('w1', 'w2')], quorum: 1 },
      'witnesses[0] has an id that does not belong to its name and key',
    ],
  ])('is not %s', (_name, members, message) => {
    expect(() => trustOf(members)).toThrow(expect.objectContaining({ code: 'ERR_TRUST_ANCHOR_INVALID' }));
    expect(() => trustOf(members)).toThrow(message);
  });
});
