import type { RegistryError } from '@passport-registry/verifier';
import { formatNoteKey, verifyPublicationStatement } from '@passport-registry/verifier/core';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteSigner } from '../../support/note-keys.js';
import { delegation, publish, statement, type TestKey, testKey } from '../../support/publication.js';
import { claimsAbout } from '../../support/summed-registry.js';

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
/** A log with a key for any name. */
const named = (origin: string) => ({ origin, vkey: formatNoteKey(origin, 'log', LOG.key.jwk.x) });

describe.each(['ed25519', 'p256'] as const)('a publication statement under a %s key', (type) => {
  let key: TestKey;
  let claims: ReturnType<typeof claimsAbout>;
  beforeAll(async () => {
    key = await testKey(type);
    claims = claimsAbout(publish(key, [], UPDATED_AT));
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

  it('says which list is the newest, and which tree of sums', async () => {
    const jwt = await signed({
      sequence: 7,
      previous: 'ab'.repeat(32),
      levels: 3,
      checkpoint: true,
      exp: MADE + 60,
    });
    const read = await verifyPublicationStatement(Buffer.from(jwt), key.rootKey, ANY_TIME);
    expect(read).toEqual({
      kid: key.rootKey.thumbprint,
      previous: 'ab'.repeat(32),
      notBefore: MADE * 1000,
      sequence: 7,
      updatedAt: UPDATED_AT,
      sha256: claims.sha256,
      size: claims.size,
      issuers: 0,
      sumsSha256: claims.sums_sha256,
      levels: 3,
      checkpoint: true,
      issuedAt: MADE * 1000,
      expiresAt: (MADE + 60) * 1000,
      claims: jwt.split('.')[1],
      text: jwt,
    });
  });

  it('needs neither previous, checkpoint nor exp, and may have other claims', async () => {
    const read = await verifyPublicationStatement(await signed({ later: {} }), key.rootKey, at(MADE + 1e9));
    expect(read.checkpoint).toBe(false);
    expect(read.log).toBe(undefined);
    expect(read.expiresAt).toBe(8.64e15);
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

  const HASH = '0'.repeat(64);
  it.each([
    ['iat', [0, MADE], [undefined, -1, 1.5, '1', null, 2 ** 53]],
    ['exp', [undefined, 0, 2 ** 53 - 1], [-1, 1.5, '1', null, 2 ** 53]],
    ['nbf', [undefined, 0], [-1, '1', null]],
    ['sequence', [0, 1, 2 ** 53 - 1], [undefined, null, -1, 0.5, '1', true, [1]]],
    [
      'previous',
      [undefined, HASH],
      [null, '', HASH.slice(1), `${HASH}0`, 'A'.repeat(64), 'g'.repeat(64), 1, `${HASH}\n`],
    ],
    [
      'updated_at',
      [UPDATED_AT],
      [
        undefined,
        null,
        '',
        MADE,
        '2026-11-21T08:00:00.0Z',
        '2026-11-21T08:00:00+00:00',
        '2026-11-21t08:00:00z',
        '2026-02-30T08:00:00Z',
      ],
    ],
    ['sha256', [HASH], [undefined, null, HASH.slice(1), 'A'.repeat(64), 1]],
    ['sums_sha256', [HASH], [undefined, null, HASH.slice(1), 'A'.repeat(64), 1]],
    ['size', [0, 2 ** 53 - 1], [undefined, null, -1, 0.5, '1']],
    ['issuers', [0, 2 ** 53 - 1], [undefined, null, -1, 0.5, '1', []]],
    ['levels', [0, 8], [undefined, null, -1, 9, 0.5, '1']],
    ['checkpoint', [undefined, true], [false, null, 'true', 1, {}]],
    [
      'log',
      [undefined, { origin: LOG.key.name, vkey: LOG.vkey }],
      [
        null,
        {},
        [],
        LOG.vkey,
        { origin: LOG.key.name },
        { vkey: LOG.vkey },
        { origin: 'registry.example/x/log', vkey: LOG.vkey },
        { origin: LOG.key.name, vkey: [LOG.vkey] },
        { origin: LOG.key.name, vkey: `${LOG.vkey}\n` },
        { origin: LOG.key.name, vkey: noteSigner(LOG.key.name, 'witness').vkey },
        ...['', 'log', '/log', 'registry.example', 'registry.example/', 'https://registry.example/log'].map(
          named,
        ),
        ...[
          'registry.example/Log',
          'registry.example/log/',
          'a b/log',
          'a+b/log',
          'é/log',
          `${'a'.repeat(252)}/log`,
        ].map(named),
      ],
    ],
  ] as const)('with the claim %s', async (claim, good, bad) => {
    for (const value of good)
      expect(await verdict(await signed({ [claim]: value })), String(value)).toBe('accepted');
    for (const value of bad) {
      expect(await verdict(await signed({ [claim]: value })), String(value)).toBe('ERR_PUBLICATION_INVALID');
    }
  });

  it('is refused if another key signed it, whatever its kid', async () => {
    const other = await testKey(type);
    expect(await verdict(await signed({}, other))).toBe('ERR_PUBLICATION_INVALID');
    const posing = { ...other, rootKey: key.rootKey };
    expect(await verdict(await signed({}, posing))).toBe('ERR_PUBLICATION_INVALID');
    const renamed = { ...key, rootKey: { ...key.rootKey, thumbprint: other.rootKey.thumbprint } };
    expect(await verdict(await signed({}, renamed))).toBe('accepted');
    const another = await testKey(type === 'p256' ? 'ed25519' : 'p256');
    expect(await verdict(await signed({}, another))).toBe('ERR_PUBLICATION_INVALID');
  });

  it('is not another statement of the root key, nor one with another typ', async () => {
    expect(await verdict(await delegation(key, await testKey()))).toBe('ERR_PUBLICATION_INVALID');
    for (const typ of [
      'registry-checkpoint+jwt',
      'registry-root-rotation+jwt',
      'application/registry-publication+jwt',
      'Registry-publication+jwt',
      'JWT',
    ]) {
      expect(await verdict(await signed({}, key, typ)), typ).toBe('ERR_PUBLICATION_INVALID');
    }
  });

  it('is refused with any other bytes around', async () => {
    const jwt = await signed();
    const [head = '', payload = '', signature = ''] = jwt.split('.');
    for (const bad of [
      '',
      `${jwt}\n`,
      ` ${jwt}`,
      `\uFEFF${jwt}`,
      `${jwt}=`,
      `${jwt}.`,
      `${head}.${payload}`,
      `${head}.${payload}.`,
      `${head}..${signature}`,
      `${head}.${payload}.${signature.slice(0, -1)}`,
      `${jwt}${'A'.repeat(17_000)}`,
    ]) {
      expect(await verdict(bad), bad.slice(0, 20)).toBe('ERR_PUBLICATION_INVALID');
    }
  });

  it('is valid from iat and nbf on, and until exp, with the tolerance', async () => {
    const jwt = await signed({ exp: MADE + 100 });
    expect(await verdict(jwt, at(MADE - T))).toBe('accepted');
    expect(await verdict(jwt, at(MADE - T - 0.001))).toBe('ERR_NOT_YET_VALID');
    expect(await verdict(jwt, at(MADE + 100 + T - 0.001))).toBe('accepted');
    expect(await verdict(jwt, at(MADE + 100 + T))).toBe('ERR_PUBLICATION_EXPIRED');
    expect(await verdict(jwt, at(MADE + 100 + T, false))).toBe('accepted');
    const later = await signed({ nbf: MADE + 1000 });
    expect(await verdict(later, at(MADE + 1000 - T))).toBe('accepted');
    expect(await verdict(later, at(MADE + 1000 - T - 0.001))).toBe('ERR_NOT_YET_VALID');
  });

  it('is refused for its signature first, then for its times, then for its claims', async () => {
    const other = await testKey(type);
    const faults = { exp: MADE + 1, levels: 9 };
    expect(await verdict(await signed({ ...faults, iat: MADE + 9e9 }, other), at(MADE + 1e6))).toBe(
      'ERR_PUBLICATION_INVALID',
    );
    expect(await verdict(await signed({ ...faults, iat: MADE + 9e9 }), at(MADE + 1e6))).toBe(
      'ERR_NOT_YET_VALID',
    );
    expect(await verdict(await signed(faults), at(MADE + 1e6))).toBe('ERR_PUBLICATION_EXPIRED');
    expect(await verdict(await signed(faults), at(MADE))).toBe('ERR_PUBLICATION_INVALID');
  });
});
