import { verifyList } from '@passport-registry/verifier';
import { canonicalBytes, LIMITS } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { issuer as goodIssuer, signature, testKey } from '../../support/publication.js';

/** A record with what the type would not let through, too. */
const issuer = (id: string, more: object = {}) => ({ ...goodIssuer(id), ...more });
const list = (...issuers: unknown[]) => ({ issuers, updated_at: '2026-11-21T08:00:00Z' });

const key = await testKey();
const { rootKey } = key;

/** Verifies bytes that the root key has really signed: what is wrong with them is their form. */
function verifySigned(bytes: Uint8Array | string) {
  const signed = Buffer.from(bytes);
  return verifyList({ list: signed, signature: signature(signed, key), rootKey });
}

describe('verifyList', () => {
  it('gives the list and its payload hash', async () => {
    const bytes = canonicalBytes(list(issuer('a'), issuer('b', { policy_uri: null })));
    const { registry, sha256 } = await verifySigned(bytes);
    expect(registry.issuers.map(({ issuer_id }) => issuer_id)).toEqual(['a', 'b']);
    expect(sha256).toMatch(/^[0-9a-f]{64}$/);
  });

  it('refuses more bytes than a list may have, before it reads one', async () => {
    // The memory is never touched.
    const bytes = new Uint8Array(LIMITS.list + 1);
    await expect(verifyList({ list: bytes, signature: '', rootKey })).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_SOURCE_TOO_LARGE' }),
    );
  });

  it('says where a record is wrong', async () => {
    await expect(
      verifySigned(canonicalBytes(list(issuer('a'), issuer('b', { tier: 'gold' })))),
    ).rejects.toMatchObject({ code: 'ERR_LIST_NONCONFORMING', pointer: '/issuers/1/tier' });
    // A name that is not known may be long, or have any character.
    await expect(
      verifySigned(canonicalBytes(list(issuer('a', { 'x/y': 1 } as object)))),
    ).rejects.toMatchObject({
      code: 'ERR_LIST_NONCONFORMING',
      message: expect.stringContaining('"x/y"'),
      pointer: '/issuers/0',
    });
  });
});

const canonical = (value: unknown) => new TextDecoder().decode(canonicalBytes(value));

describe('RFC 8785', () => {
  it('section 3.2.2: literals, numbers and strings', () => {
    const input = String.raw`{
      "numbers": [333333333.33333329, 4.50, 2e-3, 0.000000000000000000000000001],
      "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
      "literals": [null, true, false]
    }`;
    // Section 3.2.4 gives the result as these bytes, with 1E30, which is beyond 2^53 - 1.
    const expected = `7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e
      756d62657273223a5b3333333333333333332e33333333333333
      2c342e352c302e3030322c31652d32375d2c22737472696e67223a22e282ac24
      5c75303030665c6e4127425c225c5c5c5c5c222f227d`.replaceAll(/\s/g, '');
    expect(Buffer.from(canonicalBytes(JSON.parse(input))).toString('hex')).toBe(expected);
  });

  it('section 3.2.3: members are sorted by UTF-16 code units', () => {
    const input = String.raw`{
      "\u20ac": "Euro Sign", "\r": "Carriage Return", "\ufb33": "Hebrew Letter Dalet With Dagesh", "1": "One",
      "\ud83d\ude00": "Emoji: Grinning Face", "\u0080": "Control", "\u00f6": "Latin Small Letter O With Diaeresis"
    }`;
    expect(Object.values(JSON.parse(canonical(JSON.parse(input))))).toHaveLength(7);
    expect([...canonical(JSON.parse(input)).matchAll(/:"([^"]+)"/g)].map(([, name]) => name)).toEqual([
      'Carriage Return',
      'One',
      'Control',
      'Latin Small Letter O With Diaeresis',
      'Euro Sign',
      'Emoji: Grinning Face',
      'Hebrew Letter Dalet With Dagesh',
    ]);
  });

  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
    ['433fffffffffffff', '9007199254740991'],
    ['c33fffffffffffff', '-9007199254740991'],
  ])('appendix B: the number %s', (bits, expected) => {
    expect(canonical(Buffer.from(bits, 'hex').readDoubleBE())).toBe(expected);
  });

  it('appendix B: NaN and infinities are errors; so are the numbers that strict JSON refuses', () => {
    const beyond = [2 ** 53, -(2 ** 53), 1e21, 1e23, Number.MAX_VALUE, -Number.MAX_VALUE];
    for (const number of [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, ...beyond]) {
      expect(() => canonicalBytes([number])).toThrow(
        expect.objectContaining({ code: 'ERR_NOT_CANONICALIZABLE' }),
      );
    }
  });
});

describe('canonicalBytes', () => {
  it.each([
    ['undefined', undefined],
    ['undefined in an object', { a: undefined }],
    ['undefined in an array', [undefined]],
    ['a hole', new Array(1)],
    ['a big integer', 1n],
    ['a function', () => 1],
    ['a symbol', Symbol('a')],
    ['a symbol as a key', { [Symbol('a')]: 1 }],
    ['a lone high surrogate', 'a\ud800'],
    ['a lone low surrogate in a key', { '\udc00': 1 }],
    ['a Date', { at: new Date(0) }],
    ['a Map', new Map()],
    ['an object with toJSON', { toJSON: () => 1 }],
  ])('refuses %s', (_name, value) => {
    expect(() => canonicalBytes(value)).toThrow(expect.objectContaining({ code: 'ERR_NOT_CANONICALIZABLE' }));
  });

  it('says where', () => {
    expect(() => canonicalBytes({ 'a/b': [0, { c: Number.NaN }] })).toThrow('at /a~1b/1/c');
  });

  it('keeps a member named __proto__', () => {
    expect(canonical(JSON.parse('{"b":1,"__proto__":{"a":2}}'))).toBe('{"__proto__":{"a":2},"b":1}');
  });

  it('is idempotent, loses nothing and sorts, whatever the JSON', () => {
    const values = fc.jsonValue().filter((one) => !/\d{16}|e\+/.test(JSON.stringify(one)));
    fc.assert(
      fc.property(values, (value) => {
        const once = canonical(value);
        expect(canonical(JSON.parse(once))).toBe(once);
        expect(JSON.parse(once)).toEqual(JSON.parse(JSON.stringify(value)));
      }),
      { numRuns: 500 },
    );
  });

  it('refuses nesting that would exhaust the stack, and takes what is deep but sane', () => {
    const nested = (depth: number): unknown => JSON.parse('['.repeat(depth) + ']'.repeat(depth));
    expect(new TextDecoder().decode(canonicalBytes(nested(500)))).toHaveLength(1000);
    expect(() => canonicalBytes(nested(501))).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_CANONICALIZABLE' }),
    );
    const objects = (depth: number): unknown =>
      JSON.parse(`${'{"a":'.repeat(depth - 1)}{}${'}'.repeat(depth - 1)}`);
    expect(new TextDecoder().decode(canonicalBytes(objects(500)))).toHaveLength(499 * 6 + 2);
    expect(() => canonicalBytes(objects(501))).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_CANONICALIZABLE' }),
    );
    expect(() => canonicalBytes(nested(100_000))).toThrow(
      expect.objectContaining({ code: 'ERR_NOT_CANONICALIZABLE' }),
    );
  });
});
