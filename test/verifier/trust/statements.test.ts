import { RegistryError, verifySignature } from '@passport-registry/verifier';
import {
  ANY_TIME,
  type JwsFault,
  JwsRefused,
  readCompactJws,
  readStatement,
  verifyCompactJws,
  verifyOperations,
  verifyStatement,
} from '@passport-registry/verifier/core';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { noteSigner } from '../../support/note-keys.js';
import { delegation, signature, statement, type TestKey, testKey } from '../../support/publication.js';

const TYP = 'registry-checkpoint+jwt';
let key: TestKey;
let jwt: string;

beforeAll(async () => {
  key = await testKey();
  jwt = await statement(key, TYP, { iat: 1, exp: 2 });
});

const encoded = (text: string | Buffer) => Buffer.from(text).toString('base64url');
/** A JWS whose header and payload are these very texts, rightly signed. */
function signed(header: string, payload: string): string {
  const input = `${encoded(header)}.${encoded(payload)}`;
  return `${input}.${signature(Buffer.from(input), key)}`;
}
const HEADER = `{"alg":"Ed25519","typ":"${TYP}"}`;
const faultOf = (jws: unknown): JwsFault | 'accepted' => {
  try {
    readCompactJws(jws, [TYP]);
    return 'accepted';
  } catch (error) {
    if (!(error instanceof JwsRefused)) throw error;
    return error.fault;
  }
};

describe('the reader of compact JWS', () => {
  it('reads a text, and the bytes of a file', async () => {
    for (const form of [jwt, new TextEncoder().encode(jwt)]) {
      const jws = readCompactJws(form, [TYP]);
      expect(jws.payload).toEqual({ iat: 1, exp: 2 });
      await verifyCompactJws(jws, key.rootKey);
    }
  });

  it.each(['Ed25519', 'EdDSA'])('takes %s for an Ed25519 key', async (alg) => {
    const jws = readCompactJws(signed(`{"alg":"${alg}","typ":"${TYP}"}`, '{"iat":1}'), [TYP]);
    await verifyCompactJws(jws, key.rootKey);
  });

  it('takes a form of types, and says which type it is', () => {
    const typeOf = (form: RegExp) => readCompactJws(jwt, ['other+jwt', form]).type;
    expect(typeOf(/^registry-\w+\+jwt$/)).toBe(TYP);
    expect(() => typeOf(/^passport/)).toThrow(JwsRefused);
    expect(() => readCompactJws(signed('{"alg":"Ed25519"}', '{}'), [/^undefined$/])).toThrow(JwsRefused);
  });

  it.each<[string, JwsFault, (jwt: string) => unknown]>([
    ['nothing', 'malformed', () => undefined],
    ['a number', 'malformed', () => 7],
    ['an empty text', 'malformed', () => ''],
    ['two parts', 'malformed', (jwt) => jwt.split('.', 2).join('.')],
    ['four parts', 'malformed', (jwt) => `${jwt}.`],
    ['padding', 'malformed', (jwt) => `${jwt}==`],
    ['padding in the header', 'malformed', (jwt) => jwt.replace('.', '=.')],
    ['a newline at its end', 'malformed', (jwt) => `${jwt}\n`],
    ['a space before it', 'malformed', (jwt) => ` ${jwt}`],
    ['a space within', 'malformed', (jwt) => jwt.replace('.', ' .')],
    ['a newline within', 'malformed', (jwt) => jwt.replace('.', '.\n')],
    ['a byte order mark', 'malformed', (jwt) => `\ufeff${jwt}`],
    ['a byte order mark in its bytes', 'malformed', (jwt) => Buffer.from(`\ufeff${jwt}`)],
    ['bytes that are not UTF-8', 'malformed', (jwt) => Buffer.concat([Buffer.from(jwt), Buffer.of(0xff)])],
    [
      'stray bits in the last character',
      'malformed',
      (jwt) => `${jwt.slice(0, -1)}${jwt.endsWith('A') ? 'B' : 'h'}`,
    ],
    [
      'the other alphabet',
      'malformed',
      () => signed(HEADER, '{"iat":1,"x":"???>>>"}').replaceAll('_', '/').replaceAll('-', '+'),
    ],
    [
      'a member twice in the header',
      'malformed',
      () => signed(`{"alg":"Ed25519","typ":"JWT","typ":"${TYP}"}`, '{}'),
    ],
    ['a claim twice', 'malformed', () => signed(HEADER, '{"iat":1,"exp":2,"iat":1}')],
    ['an exp of 1e400', 'malformed', () => signed(HEADER, '{"iat":1,"exp":1e400}')],
    ['an exp of 2^53', 'malformed', () => signed(HEADER, `{"iat":1,"exp":${2 ** 53}}`)],
    ['a header that is an array', 'malformed', () => signed('[]', '{}')],
    ['a payload that is no JSON', 'malformed', () => signed(HEADER, 'x')],
    ['a payload with a byte order mark', 'malformed', () => signed(HEADER, '\ufeff{"iat":1}')],
    [
      'a payload of nested arrays',
      'malformed',
      () => signed(HEADER, `{"a":${'['.repeat(5000)}${']'.repeat(5000)}}`),
    ],
    ['no typ', 'type', () => signed('{"alg":"Ed25519"}', '{}')],
    ['a typ in capitals', 'type', () => signed(`{"alg":"Ed25519","typ":"${TYP.toUpperCase()}"}`, '{}')],
    ['a typ with application/', 'type', () => signed(`{"alg":"Ed25519","typ":"application/${TYP}"}`, '{}')],
    ['alg none', 'algorithm', () => signed(`{"alg":"none","typ":"${TYP}"}`, '{}')],
    ['alg HS256', 'algorithm', () => signed(`{"alg":"HS256","typ":"${TYP}"}`, '{}')],
    ...['crit', 'jku', 'jwk', 'x5u', 'x5c', 'b64'].map((member): [string, JwsFault, () => string] => [
      `${member} in the header`,
      'header',
      () => signed(`{"alg":"Ed25519","typ":"${TYP}","${member}":null}`, '{}'),
    ]),
    ['an iat of 1.5', 'claims', () => signed(HEADER, '{"iat":1.5}')],
    ['an iat of -1', 'claims', () => signed(HEADER, '{"iat":-1}')],
    ['an exp that is a text', 'claims', () => signed(HEADER, '{"iat":1,"exp":"2"}')],
    ['an nbf of null', 'claims', () => signed(HEADER, '{"iat":1,"nbf":null}')],
  ])('refuses %s: %s', (_name, fault, make) => {
    expect(faultOf(make(jwt))).toBe(fault);
  });

  it.each([0, 2 ** 53 - 1])('takes %d for a time', (time) => {
    expect(faultOf(signed(HEADER, `{"iat":${time},"exp":${time},"nbf":${time}}`))).toBe('accepted');
  });

  it('reads 16 KiB, and not one character more', () => {
    // A group of four characters is three bytes.
    const ofLength = (length: number) => {
      const around = signed(HEADER, '{"a":""}').length;
      const payload = (filling: number) => signed(HEADER, `{"a":"${'x'.repeat(filling)}"}`);
      const filling = Math.floor(((length - around) * 3) / 4);
      return [filling - 1, filling, filling + 1].map(payload).find((text) => text.length === length);
    };
    expect(faultOf(ofLength(16 * 1024) ?? '')).toBe('accepted');
    expect(faultOf(ofLength(16 * 1024 + 1) ?? ofLength(16 * 1024 + 2))).toBe('malformed');
  });

  it('follows the algorithm of the key, not of the header', async () => {
    const p256 = await testKey('p256');
    const jws = readCompactJws(jwt, [TYP]);
    await expect(verifyCompactJws(jws, p256.rootKey)).rejects.toMatchObject({ fault: 'algorithm' });
    const other = await testKey();
    await expect(verifyCompactJws(jws, other.rootKey)).rejects.toMatchObject({ fault: 'signature' });
  });
});

describe('a statement', () => {
  const invalid = (message: string) => new RangeError(message);
  const expired = (message: string) => new EvalError(message);
  const verdict = async (claims: Record<string, unknown>, seconds: number, tolerance = 300) => {
    const text = await new SignJWT(claims)
      .setProtectedHeader({ alg: 'Ed25519', typ: TYP })
      .sign(key.privateKey);
    const clock = { now: seconds * 1000, tolerance: tolerance * 1000 };
    try {
      await verifyStatement(readStatement(text, TYP, invalid), key.rootKey, {
        clock,
        expiry: true,
        invalid,
        expired,
      });
      return 'valid';
    } catch (error) {
      return error instanceof RegistryError ? error.code : (error as Error).name;
    }
  };

  it.each<[string, number, Record<string, unknown>, string]>([
    ['at iat minus the tolerance', 700, { iat: 1000, exp: 2000 }, 'valid'],
    ['before', 699, { iat: 1000, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['at nbf minus the tolerance', 1200, { iat: 1000, nbf: 1500, exp: 2000 }, 'valid'],
    ['before nbf', 1199, { iat: 1000, nbf: 1500, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['just before exp plus the tolerance', 2299, { iat: 1000, exp: 2000 }, 'valid'],
    ['at exp plus the tolerance', 2300, { iat: 1000, exp: 2000 }, 'EvalError'],
    ['under a clock that tells no time', Number.NaN, { iat: 1000, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['without iat', 1500, { exp: 2000 }, 'RangeError'],
    ['without exp', 1500, { iat: 1000 }, 'RangeError'],
    ['at an exp that no Date can hold', 1500, { iat: 1000, exp: 2 ** 53 - 1 }, 'valid'],
    [
      'before an iat that no Date can hold',
      1500,
      { iat: 2 ** 53 - 1, exp: 2 ** 53 - 1 },
      'ERR_NOT_YET_VALID',
    ],
  ])('%s', async (_name, seconds, claims, expected) => {
    expect(await verdict(claims, seconds)).toBe(expected);
  });
});

describe('white space around issuers.sig', () => {
  const bytes = Buffer.from('x');
  const verdict = (before: string, after: string) =>
    verifySignature(bytes, `${before}${signature(bytes, key)}${after}`, key.rootKey).then(
      () => 'valid',
      ({ code }) => code,
    );

  it('is tab, line feed, form feed, carriage return and space', async () => {
    for (const space of ['\t', '\n', '\f', '\r', ' ', ' \r\n\t '])
      expect(await verdict(space, space)).toBe('valid');
  });

  it.each(['\v', '\u00a0', '\ufeff', '\u2028', '\u0000', '\u200b'])('is not %j', async (character) => {
    expect(await verdict(character, '')).toBe('ERR_SIGNATURE_MALFORMED');
    expect(await verdict('', character)).toBe('ERR_SIGNATURE_MALFORMED');
  });
});

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
      ...{ issuedAt: NOW * 1000, notBefore: NOW * 1000, expiresAt: (NOW + 3600) * 1000 },
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
