import { generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import {
  canonicalBytes,
  encodeSignature,
  importRootKey,
  ListMalformed,
  ListNonconforming,
  ListNotCanonical,
  ListUnsorted,
  type RootKey,
  SignatureInvalid,
  verifyList,
} from '@passport-registry/verifier';
import { beforeAll, describe, expect, it } from 'vitest';
import { issuer as goodIssuer } from '../../support/publication.js';

/** A record with what the type would not let through, too. */
const issuer = (id: string, more: object = {}) => ({ ...goodIssuer(id), ...more });
const list = (...issuers: unknown[]) => ({ issuers, updated_at: '2026-11-21T08:00:00Z' });

let privateKey: KeyObject;
let rootKey: RootKey;

beforeAll(async () => {
  const pair = generateKeyPairSync('ed25519');
  privateKey = pair.privateKey;
  rootKey = await importRootKey(pair.publicKey.export({ format: 'jwk' }));
});

/** Verifies bytes that the root key has really signed: what is wrong with them is their form. */
function verifySigned(bytes: Uint8Array | string) {
  const signed = Buffer.from(bytes);
  return verifyList({ list: signed, signature: encodeSignature(sign(null, signed, privateKey)), rootKey });
}

describe('verifyList', () => {
  it('gives the list and its payload hash', async () => {
    const bytes = canonicalBytes(list(issuer('a'), issuer('b', { policy_uri: null })));
    const { registry, sha256 } = await verifySigned(bytes);
    expect(registry.issuers.map(({ issuer_id }) => issuer_id)).toEqual(['a', 'b']);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('takes a list without issuers', async () => {
    expect((await verifySigned(canonicalBytes(list()))).registry.issuers).toEqual([]);
  });

  it('judges the signature before it parses a single byte', async () => {
    const bytes = Buffer.from('this is no JSON');
    const signature = encodeSignature(sign(null, Buffer.from('another'), privateKey));
    await expect(verifyList({ list: bytes, signature, rootKey })).rejects.toThrow(SignatureInvalid);
  });

  it('accepts no list with a single flipped bit', async () => {
    const bytes = Buffer.from(canonicalBytes(list(issuer('a'))));
    const signature = encodeSignature(sign(null, bytes, privateKey));
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const flipped = Buffer.from(bytes);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      await expect(verifyList({ list: flipped, signature, rootKey })).rejects.toThrow(SignatureInvalid);
    }
  });

  const good = JSON.stringify(issuer('a'));
  it.each<[string, new (...args: never[]) => Error, string | Uint8Array]>([
    ['nothing', ListMalformed, ''],
    ['HTML', ListMalformed, '<!doctype html>'],
    ['a truncated list', ListMalformed, '{"issuers":[],"updated_at":"2026-11-21T08:00'],
    ['a byte order mark', ListMalformed, '\ufeff{"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}'],
    ['bytes that are not UTF-8', ListMalformed, Buffer.from([0x22, 0xff, 0x22])],
    ['null', ListNonconforming, 'null'],
    ['an array', ListNonconforming, '[]'],
    ['no issuers', ListNonconforming, '{"updated_at":"2026-11-21T08:00:00Z"}'],
    ['issuers by id', ListNonconforming, '{"issuers":{},"updated_at":"2026-11-21T08:00:00Z"}'],
    ['no updated_at', ListNonconforming, '{"issuers":[]}'],
    [
      'updated_at with an offset',
      ListNonconforming,
      '{"issuers":[],"updated_at":"2026-11-21T08:00:00+00:00"}',
    ],
    ['updated_at with a fraction', ListNonconforming, '{"issuers":[],"updated_at":"2026-11-21T08:00:00.0Z"}'],
    ['updated_at on no day', ListNonconforming, '{"issuers":[],"updated_at":"2026-02-30T08:00:00Z"}'],
    ['a third member', ListNonconforming, '{"issuers":[],"next":"","updated_at":"2026-11-21T08:00:00Z"}'],
    [
      '__proto__ in the list',
      ListNonconforming,
      '{"__proto__":{},"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}',
    ],
    ['a null issuer', ListNonconforming, JSON.stringify(list(null))],
    ['an unknown field', ListNonconforming, JSON.stringify(list(issuer('a', { trusted: true })))],
    [
      '__proto__ in an issuer',
      ListNonconforming,
      JSON.stringify(list(issuer('a'))).replace('{"issuer_id', '{"__proto__":{"status":"active"},"issuer_id'),
    ],
    ['constructor in an issuer', ListNonconforming, JSON.stringify(list(issuer('a', { constructor: {} })))],
    ['an id that is a path', ListNonconforming, JSON.stringify(list(issuer('../a')))],
    [
      'the same id twice',
      ListUnsorted,
      JSON.stringify(list(issuer('a'), issuer('a', { status: 'revoked' }))),
    ],
    ['ids out of order', ListUnsorted, JSON.stringify(list(issuer('b'), issuer('a')))],
    ['white space', ListNotCanonical, '{"issuers":[], "updated_at":"2026-11-21T08:00:00Z"}'],
    ['a final newline', ListNotCanonical, '{"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}\n'],
    ['members out of order', ListNotCanonical, `{"updated_at":"2026-11-21T08:00:00Z","issuers":[]}`],
    [
      'fields out of order',
      ListNotCanonical,
      JSON.stringify(
        list({ ...JSON.parse(new TextDecoder().decode(canonicalBytes(issuer('a')))), contact: null }),
      ),
    ],
    ['needless escapes', ListNotCanonical, `{"issuers":[],"updated_at":"2026-11-21T08:00:00\\u005a"}`],
    [
      'a duplicate JSON key in the list',
      ListNotCanonical,
      `{"issuers":[${good}],"issuers":[],"updated_at":"2026-11-21T08:00:00Z"}`,
    ],
    [
      'a duplicate JSON key in an issuer',
      ListNotCanonical,
      new TextDecoder()
        .decode(canonicalBytes(list(issuer('a', { status: 'revoked' }))))
        .replace('"status":"revoked"', '"status":"revoked","status":"active"'),
    ],
  ])('refuses %s, rightly signed', async (_name, error, bytes) => {
    await expect(verifySigned(bytes)).rejects.toThrow(error);
  });

  it('says where a record is wrong', async () => {
    await expect(
      verifySigned(canonicalBytes(list(issuer('a'), issuer('b', { tier: 'gold' })))),
    ).rejects.toMatchObject({ code: 'ERR_LIST_NONCONFORMING', pointer: '/issuers/1/tier' });
  });
});
