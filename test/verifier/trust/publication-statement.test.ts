import type { RegistryError } from '@passport-registry/verifier';
import { statementHash, verifyPublicationStatement } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteSigner } from '../../support/note-keys.js';
import { claimsAbout, publish, statement, type TestKey, testKey } from '../../support/publication.js';

const TYPE = 'registry-publication+jwt';
const UPDATED_AT = '2026-11-21T08:00:00Z';
/** 2026-11-21T08:00:00Z. */
const MADE = 1795248000;
const T = 300;
const ANY_TIME = { clock: undefined, expiry: false } as const;
const at = (seconds: number, expiry = true) => ({
  clock: { now: seconds * 1000, tolerance: T * 1000 },
  expiry,
});

const LOG = noteSigner('registry.example/log', 'log');
/** The conformance kit has the values of each claim, the times, and the forms of a statement. */
describe.each(['ed25519', 'p256'] as const)('a publication statement under a %s key', (type) => {
  let key: TestKey;
  let claims: ReturnType<typeof claimsAbout>;
  beforeAll(async () => {
    key = await testKey(type);
    claims = claimsAbout(publish(key, [], { updatedAt: UPDATED_AT }));
  });

  const signed = (more: object = {}, by = key, typ = TYPE) => {
    const all = Object.entries({ ...claims, ...more }).filter(([, value]) => value !== undefined);
    return statement(by, typ, Object.fromEntries(all));
  };
  const verdict = (
    jwt: Uint8Array | string,
    times: Parameters<typeof verifyPublicationStatement>[2] = ANY_TIME,
  ) =>
    verifyPublicationStatement(jwt, key.rootKey, times).then(
      () => 'accepted',
      (error: RegistryError) => error.code,
    );

  it('is not refused for its hash of about.json, and names no file by what is none', async () => {
    const named = async (about_sha256: unknown) =>
      (await verifyPublicationStatement(await signed({ about_sha256 }), key.rootKey, ANY_TIME)).aboutSha256;
    expect(await named('ab'.repeat(32))).toBe('ab'.repeat(32));
    expect(await named(undefined)).toBeUndefined();
    for (const odd of [{ toString: 0, valueOf: 0 }, ['ab'.repeat(32)], null, 7, 'AB'.repeat(32), '\u001b[2J'])
      expect(await named(odd)).toBe('');
  });

  it('says which list is the newest, and which tree of sums', async () => {
    const jwt = await signed({
      sequence: 7,
      previous: ['ab'.repeat(32), 'cd'.repeat(32)],
      levels: 3,
      exp: MADE + 60,
    });
    const read = await verifyPublicationStatement(Buffer.from(jwt), key.rootKey, ANY_TIME);
    expect(read).toEqual({
      kid: key.rootKey.thumbprint,
      hash: statementHash(jwt),
      previous: ['ab'.repeat(32), 'cd'.repeat(32)],
      notBefore: MADE * 1000,
      sequence: 7,
      updatedAt: UPDATED_AT,
      sha256: claims.sha256,
      size: claims.size,
      issuers: 0,
      sumsSha256: claims.sums_sha256,
      levels: 3,
      issuedAt: MADE * 1000,
      text: jwt,
    });
  });

  it('names the log and its key', async () => {
    const log = { origin: LOG.key.name, vkey: LOG.vkey };
    const read = await verifyPublicationStatement(await signed({ log }), key.rootKey, ANY_TIME);
    expect(read.log).toEqual(log);
    const more = await verifyPublicationStatement(
      await signed({ log: { ...log, more: 1 } }),
      key.rootKey,
      ANY_TIME,
    );
    expect(more.log).toEqual(log);
  });

  it('is refused for its signature first, then for its times, then for its claims', async () => {
    const other = await testKey(type);
    const faults = { levels: 9 };
    expect(await verdict(await signed({ ...faults, iat: MADE + 9e9 }, other), at(MADE + 1e6))).toBe(
      'ERR_PUBLICATION_INVALID',
    );
    expect(await verdict(await signed({ ...faults, iat: MADE + 9e9 }), at(MADE + 1e6))).toBe(
      'ERR_NOT_YET_VALID',
    );
    expect(await verdict(await signed(faults), at(MADE))).toBe('ERR_PUBLICATION_INVALID');
  });
});
