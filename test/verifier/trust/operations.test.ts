import { RegistryError } from '@passport-registry/verifier';
import { ANY_TIME, verifyOperations } from '@passport-registry/verifier/internal';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteSigner } from '../../support/note-keys.js';
import { delegation, statement, type TestKey, testKey } from '../../support/publication.js';

const TYPE = 'registry-operations+jwt';
const NOW = 1_795_000_000;
const WITNESS = noteSigner('witness.example', 'witness');
const MIRROR = { url: 'https://mirror.example/registry', state: 'in sync' };
let root: TestKey;
let online: TestKey;
let stranger: TestKey;

beforeAll(async () => {
  [root, online, stranger] = await Promise.all([testKey(), testKey('p256'), testKey()]);
});

const TIMES = { iat: NOW, exp: NOW + 3600 };
const claimsWith = (more: object) => ({ ...TIMES, mirrors: [], witnesses: [], ...more });

/** Verifies a statement. Returns its content, or the code of the error. */
async function verdict(
  more: object = {},
  {
    signer = root,
    delegated,
    now,
    type = TYPE,
  }: { signer?: TestKey; delegated?: object; now?: number; type?: string } = {},
) {
  const files = {
    operations: await statement(signer, type, JSON.parse(JSON.stringify(claimsWith(more)))),
    delegation: delegated && (await delegation(root, online, { ...TIMES, ...delegated })),
  };
  const times =
    now === undefined ? ANY_TIME : { clock: { now: now * 1000, tolerance: 300_000 }, expiry: true };
  return verifyOperations(files, root.rootKey, times).catch((error: RegistryError) => error.code);
}

describe('an operations statement', () => {
  it('says how the mirrors are, and who the witnesses are', async () => {
    const mirrors = [
      { ...MIRROR, behind: 0, updated_at: '2026-11-01T00:00:00Z' },
      { url: 'http://127.0.0.1:8080', state: 'unreachable' },
    ];
    expect(await verdict({ mirrors, witnesses: [WITNESS.vkey], quorum: 1, unknown: 'ignored' })).toEqual({
      ...{ mirrors, witnesses: [WITNESS.vkey], quorum: 1 },
      ...{ issuedAt: NOW * 1000, expiresAt: (NOW + 3600) * 1000 },
    });
  });

  it('is signed by the root key, or by a delegated key while its delegation lasts', async () => {
    const valid = { quorum: undefined, expiresAt: (NOW + 60) * 1000 };
    expect(await verdict({}, { signer: online, delegated: { exp: NOW + 60 } })).toMatchObject(valid);
    const ended = { signer: online, delegated: { iat: NOW - 60, exp: NOW - 1 } };
    const invalid = 'ERR_OPERATIONS_INVALID';
    expect(await verdict({}, ended)).toBe(invalid);
    expect(await verdict({}, { signer: online, delegated: { iat: NOW + 1 } })).toBe(invalid);
    expect(await verdict({}, { signer: online })).toBe(invalid);
    expect(await verdict({}, { signer: stranger })).toBe(invalid);
    expect(await verdict({}, { signer: stranger, delegated: {} })).toBe(invalid);
    expect(await verdict({}, { type: 'registry-checkpoint+jwt' })).toBe(invalid);
  });

  it('has times, which a reader with a clock checks', async () => {
    expect(await verdict({ iat: undefined })).toBe('ERR_OPERATIONS_INVALID');
    expect(await verdict({ exp: undefined })).toBe('ERR_OPERATIONS_INVALID');
    expect(await verdict({}, { now: NOW - 300 })).toHaveProperty('mirrors');
    expect(await verdict({}, { now: NOW - 301 })).toBe('ERR_NOT_YET_VALID');
    expect(await verdict({}, { now: NOW + 3899 })).toHaveProperty('mirrors');
    expect(await verdict({}, { now: NOW + 3900 })).toBe('ERR_OPERATIONS_EXPIRED');
    const short = { signer: online, delegated: { exp: NOW + 60 } };
    expect(await verdict({}, { ...short, now: NOW + 360 })).toBe('ERR_DELEGATION_EXPIRED');
  });

  it('names at most 64 mirrors and 32 witnesses', async () => {
    const mirrors = (count: number) =>
      Array.from({ length: count }, (_one, at) => ({ url: `https://m${at}`, state: 'behind' }));
    const witnesses = (count: number) =>
      Array.from({ length: count }, (_one, at) => noteSigner(`w${at}`, 'witness').vkey);
    expect(await verdict({ mirrors: mirrors(64), witnesses: witnesses(32), quorum: 32 })).toMatchObject({
      quorum: 32,
    });
    expect(await verdict({ mirrors: mirrors(65) })).toBe('ERR_OPERATIONS_INVALID');
    expect(await verdict({ witnesses: witnesses(33) })).toBe('ERR_OPERATIONS_INVALID');
  });

  const mirror = (changes: object) => ({ mirrors: [{ ...MIRROR, ...changes }] });
  const damaged = WITNESS.vkey.replace(/\+[0-9a-f]{8}\+/, '+00000000+');
  it.each([
    ['no mirrors', { mirrors: undefined }],
    ['mirrors that are an object', { mirrors: {} }],
    ['a mirror that is null', { mirrors: [null] }],
    ['a mirror that is a string', { mirrors: ['https://mirror.example'] }],
    ['a mirror without a URL', mirror({ url: undefined })],
    ['a mirror without a state', mirror({ state: undefined })],
    ['a mirror with an unknown member', mirror({ problem: 'x' })],
    [
      'a mirror with __proto__',
      { mirrors: [JSON.parse('{"url":"https://m","state":"ahead","__proto__":{}}')] },
    ],
    ['a mirror twice', { mirrors: [MIRROR, { ...MIRROR, state: 'ahead' }] }],
    ['the state primary', mirror({ state: 'primary' })],
    ['the state unknown', mirror({ state: 'unknown' })],
    ['a state that is an array', mirror({ state: ['in sync'] })],
    ['a script', mirror({ url: 'javascript:alert(1)' })],
    ['markup in a URL', mirror({ url: 'https://m.example/<img src=x>' })],
    ['a URL with credentials', mirror({ url: 'https://user:secret@m.example' })],
    ['a URL with a query', mirror({ url: 'https://m.example/?a' })],
    ['a URL with a fragment', mirror({ url: 'https://m.example/#a' })],
    ['a URL that overrides the direction of text', mirror({ url: 'https://m.example/\u202e' })],
    ['a URL that is too long', mirror({ url: `https://m.example/${'x'.repeat(2048)}` })],
    ['a negative delay', mirror({ behind: -1 })],
    ['a delay that is no integer', mirror({ behind: 0.5 })],
    ['a delay beyond 2^53', mirror({ behind: 2 ** 53 })],
    ['a delay that is a string', mirror({ behind: '1' })],
    ['a delay of null', mirror({ behind: null })],
    ['a time that does not exist', mirror({ updated_at: '2026-02-30T00:00:00Z' })],
    ['a time that is a number', mirror({ updated_at: 0 })],
    ['no witnesses', { witnesses: undefined }],
    ['a witness that is no key', { witnesses: ['witness.example'] }],
    ['a witness whose id is wrong', { witnesses: [damaged] }],
    ['the key of a log', { witnesses: [noteSigner('registry.example/log', 'log').vkey] }],
    [
      'a public key under two names',
      { witnesses: [WITNESS.vkey, noteSigner('other.example', 'witness', WITNESS.pair).vkey] },
    ],
    ['a quorum of 0', { witnesses: [WITNESS.vkey], quorum: 0 }],
    ['a quorum above the number of witnesses', { witnesses: [WITNESS.vkey], quorum: 2 }],
    ['a quorum without witnesses', { quorum: 1 }],
    ['a quorum that is null', { witnesses: [WITNESS.vkey], quorum: null }],
  ])('with %s is refused', async (_name, claims) => {
    expect(await verdict(claims)).toBe('ERR_OPERATIONS_INVALID');
  });

  it('of more than 16,384 bytes is refused, and a damaged one', async () => {
    const good = await statement(root, TYPE, claimsWith({}));
    for (const operations of [
      '',
      'x',
      `${good}x`,
      `${good}\n`,
      good.padEnd(16_385, 'A'),
      new Uint8Array(20_000),
    ]) {
      const files = { operations, delegation: undefined };
      const refused = await verifyOperations(files, root.rootKey, ANY_TIME).catch((error) => error);
      expect(refused).toBeInstanceOf(RegistryError);
      expect(refused.code).toBe('ERR_OPERATIONS_INVALID');
    }
  });
});
