import { importRootKey, verifySignature } from '@passport-registry/verifier';
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
});
