import { createPrivateKey, createPublicKey, generateKeyPairSync, sign } from 'node:crypto';
import { importRootKey, verifySignature } from '@passport-registry/verifier';
import { encodeSignature, trimSignature } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { P256_JWK } from '../../support/rfc-keys.js';

const hex = (text: string) => Buffer.from(text, 'hex');
const ed25519 = (publicKey: string) =>
  importRootKey({ kty: 'OKP', crv: 'Ed25519', x: hex(publicKey).toString('base64url') });

/** RFC 8032, section 7.1: public key, message, signature. */
const RFC8032 = {
  'test 1': [
    'd75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a',
    '',
    'e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd25bf5f0595bbe24655141438e7a100b',
  ],
  'test 2': [
    '3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c',
    '72',
    '92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c387b2eaeb4302aeeb00d291612bb0c00',
  ],
  'test 3': [
    'fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025',
    'af82',
    '6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a7c15e9716ed28dc027beceea1ec40a',
  ],
  'test SHA(abc)': [
    'ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf',
    'ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd454d4423643ce80e2a9ac94fa54ca49f',
    'dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303dca179c138ac17ad9bef1177331a704',
  ],
} as const;

describe('Ed25519', () => {
  it.each(Object.entries(RFC8032))('RFC 8032, section 7.1, %s', async (_name, [key, message, signature]) => {
    const rootKey = await ed25519(key);
    await verifySignature(hex(message), hex(signature).toString('base64url'), rootKey);
    const other = Buffer.concat([hex(message), hex('00')]);
    await expect(verifySignature(other, hex(signature).toString('base64url'), rootKey)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_SIGNATURE_INVALID' }),
    );
  });

  it('refuses a signature whose S was raised by the group order (RFC 8032, section 5.1.7)', async () => {
    const [key, message, signature] = RFC8032['test 2'];
    const order = (1n << 252n) + 27742317777372353535851937790883648493n;
    const raw = hex(signature);
    const s = BigInt(`0x${Buffer.from(raw.subarray(32)).reverse().toString('hex')}`) + order;
    const raised = Buffer.concat([raw.subarray(0, 32), hex(s.toString(16).padStart(64, '0')).reverse()]);
    await expect(
      verifySignature(hex(message), raised.toString('base64url'), await ed25519(key)),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_SIGNATURE_INVALID' }));
  });
});

/** RFC 7515, appendix A.3. */
const RFC7515 = {
  key: P256_JWK,
  input:
    'eyJhbGciOiJFUzI1NiJ9.eyJpc3MiOiJqb2UiLA0KICJleHAiOjEzMDA4MTkzODAsDQogImh0dHA6Ly9leGFtcGxlLmNvbS9pc19yb290Ijp0cnVlfQ',
  signature: 'DtEhU3ljbEg8L38VWAfUAqOyKAM6-Xx-F4GawxaepmXFCgfTjDxw5djxLa8ISlSApmWQxfKTUJqPP3-Kg6NU1Q',
};

describe('ES256', () => {
  it('RFC 7515, appendix A.3', async () => {
    const rootKey = await importRootKey(RFC7515.key);
    await verifySignature(Buffer.from(RFC7515.input), RFC7515.signature, rootKey);
    await expect(
      verifySignature(Buffer.from(`${RFC7515.input}.`), RFC7515.signature, rootKey),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_SIGNATURE_INVALID' }));
  });

  const order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551';
  const zero = '0'.repeat(64);
  const one = '1'.padStart(64, '0');
  it.each([
    ['r and s of 0', zero + zero],
    ['r of 0', zero + one],
    ['s of 0', one + zero],
    ['r and s of 1', one + one],
    ['r and s of the group order', order + order],
    ['r of 1, s of the group order', one + order],
    ['all ones', 'f'.repeat(128)],
  ])('refuses %s', async (_name, raw) => {
    const rootKey = await importRootKey(RFC7515.key);
    await expect(
      verifySignature(Buffer.from(RFC7515.input), hex(raw).toString('base64url'), rootKey),
    ).rejects.toThrow(expect.objectContaining({ code: 'ERR_SIGNATURE_INVALID' }));
  });

  it('refuses DER, which is another form of the same signature', async () => {
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    const rootKey = await importRootKey(publicKey.export({ format: 'jwk' }));
    const der = sign('sha256', Buffer.from('list'), privateKey);
    await expect(verifySignature(Buffer.from('list'), der.toString('base64url'), rootKey)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_SIGNATURE_MALFORMED' }),
    );
    expect(() => encodeSignature(der)).toThrow(expect.objectContaining({ code: 'ERR_SIGNATURE_MALFORMED' }));
  });
});

describe('the text of a signature', () => {
  const [key, message, signature] = RFC8032['test 3'];
  const good = hex(signature).toString('base64url');

  it.each([
    ['a final newline', `${good}\n`],
    ['white space around it', ` \t\r\n${good}\r\n\f `],
    ['256 characters with its white space', good.padEnd(256)],
  ])('may have %s', async (_name, text) => {
    await verifySignature(hex(message), text, await ed25519(key));
  });

  it.each([
    ['nothing', ''],
    ['padding', `${good}==`],
    ['white space inside', `${good.slice(0, 40)}\n${good.slice(40)}`],
    ['base64 instead of base64url', hex(signature).toString('base64')],
    ['a byte less', hex(signature).subarray(1).toString('base64url')],
    ['a byte more', Buffer.concat([hex(signature), hex('00')]).toString('base64url')],
    ['stray bits in the last character', `${good.slice(0, -1)}${good.endsWith('g') ? 'h' : 'x'}`],
    ['quotes', `"${good}"`],
    ['a no-break space around it', `\u00a0${good}`],
    ['a byte order mark', `\ufeff${good}`],
    ['hexadecimal', signature],
    ['an HTML page', '<!doctype html><title>404</title>'],
    ['longer than 256 characters with its white space', good.padEnd(257)],
  ])('must not be %s', async (_name, text) => {
    await expect(verifySignature(hex(message), text, await ed25519(key))).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_SIGNATURE_MALFORMED' }),
    );
  });
});

it('white space inside is kept, and costs no more than it is long', () => {
  const text = `A${' '.repeat(100_000)}A`;
  const begin = performance.now();
  expect(trimSignature(`\n${text}\n`)).toBe(text);
  expect(trimSignature(' \n ')).toBe('');
  expect(performance.now() - begin).toBeLessThan(1000);
});

describe('the key decides the algorithm', () => {
  const list = Buffer.from('list');
  const edwards = generateKeyPairSync('ed25519');
  const p256 = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const es256 = sign('sha256', list, { key: p256.privateKey, dsaEncoding: 'ieee-p1363' });

  it('an Ed25519 signature is none by a P-256 key', async () => {
    const rootKey = await importRootKey(p256.publicKey.export({ format: 'jwk' }));
    const text = encodeSignature(sign(null, list, edwards.privateKey));
    await expect(verifySignature(list, text, rootKey)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_SIGNATURE_INVALID' }),
    );
    await verifySignature(list, encodeSignature(es256), rootKey);
  });

  it('a P-256 signature is none by an Ed25519 key', async () => {
    const rootKey = await importRootKey(edwards.publicKey.export({ format: 'jwk' }));
    await expect(verifySignature(list, encodeSignature(es256), rootKey)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_SIGNATURE_INVALID' }),
    );
  });

  it('signing with the private key of RFC 8032, test 1, gives the signature there', () => {
    const jwk = {
      kty: 'OKP',
      crv: 'Ed25519',
      d: hex('9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60').toString('base64url'),
      x: hex(RFC8032['test 1'][0]).toString('base64url'),
    };
    const key = createPrivateKey({ key: jwk, format: 'jwk' });
    expect(createPublicKey(key).export({ format: 'jwk' })['x']).toBe(jwk.x);
    expect(sign(null, Buffer.alloc(0), key).toString('hex')).toBe(RFC8032['test 1'][2]);
  });
});
