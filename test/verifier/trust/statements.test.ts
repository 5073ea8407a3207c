import { type RegistryError, verifySignature, walkRotation } from '@passport-registry/verifier';
import {
  type JwsFault,
  JwsRefused,
  readCompactJws,
  readStatement,
  verifyCheckpoint,
  verifyCompactJws,
} from '@passport-registry/verifier/core';
import { SignJWT } from 'jose';
import { beforeAll, describe, expect, it } from 'vitest';
import { signature, statement, type TestKey, testKey } from '../../support/publication.js';

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
  const HASH = 'a'.repeat(64);
  const verdict = async (claims: Record<string, unknown>, seconds: number, tolerance = 300) => {
    const text = await new SignJWT({ publication: HASH, tree_sha256: HASH, ...claims })
      .setProtectedHeader({ alg: 'Ed25519', typ: TYP, kid: key.rootKey.thumbprint })
      .sign(key.privateKey);
    const clock = { now: seconds * 1000, tolerance: tolerance * 1000 };
    try {
      await verifyCheckpoint(text, { rootKey: key.rootKey, online: undefined }, { clock, expiry: true });
      return 'valid';
    } catch (error) {
      return (error as RegistryError).code;
    }
  };

  it.each<[string, number, Record<string, unknown>, string]>([
    ['at iat minus the tolerance', 700, { iat: 1000, exp: 2000 }, 'valid'],
    ['before', 699, { iat: 1000, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['at nbf minus the tolerance', 1200, { iat: 1000, nbf: 1500, exp: 2000 }, 'valid'],
    ['before nbf', 1199, { iat: 1000, nbf: 1500, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['just before exp plus the tolerance', 2299, { iat: 1000, exp: 2000 }, 'valid'],
    ['at exp plus the tolerance', 2300, { iat: 1000, exp: 2000 }, 'ERR_CHECKPOINT_EXPIRED'],
    ['under a clock that tells no time', Number.NaN, { iat: 1000, exp: 2000 }, 'ERR_NOT_YET_VALID'],
    ['without iat', 1500, { exp: 2000 }, 'ERR_CHECKPOINT_INVALID'],
    ['without exp', 1500, { iat: 1000 }, 'ERR_CHECKPOINT_INVALID'],
    ['at an exp that no Date can hold', 1500, { iat: 1000, exp: 2 ** 53 - 1 }, 'ERR_CHECKPOINT_INVALID'],
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

describe('a kid that is no string', () => {
  it.each([7, null, true, ['x'], { toString: 0 }])('counts as none: %j', async (kid) => {
    const jwtWith = (typ: string, claims: object) =>
      signed(JSON.stringify({ alg: 'Ed25519', typ, kid }), JSON.stringify(claims));
    const invalid = (message: string) => new Error(message);
    expect(readStatement(jwtWith(TYP, { iat: 1, exp: 2 }), TYP, invalid).kid).toBeUndefined();
    const step = jwtWith('registry-root-rotation+jwt', { iat: 1, next_root: key.rootKey.jwk });
    await expect(walkRotation(key.rootKey, [step])).rejects.toMatchObject({ code: 'ERR_ROTATION_INVALID' });
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
