import { decodeBase64, encodeBase64, parseStrictJson } from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';

function messageOf(parse: () => unknown): string {
  try {
    return `parsed: ${JSON.stringify(parse())}`;
  } catch (error) {
    return (error as Error).message;
  }
}

const nested = (depth: number) => '['.repeat(depth) + ']'.repeat(depth);

describe('parseStrictJson', () => {
  it.each([
    ['plain characters', 'x'.repeat(20_000_000)],
    ['backslashes', '\\\\'.repeat(5_000_000)],
    ['quotes', '\\"'.repeat(5_000_000)],
  ])('reads a string of many %s', (_what, content) => {
    expect(parseStrictJson(`{"a":"${content}"}`)).toEqual({ a: JSON.parse(`"${content}"`) });
    expect(() => parseStrictJson(`{"a":"${content}","a":1}`)).toThrow(SyntaxError);
    expect(() => parseStrictJson(`{"a":"${content}`)).toThrow(SyntaxError);
  });

  it.each(['[-]', '-', '{"a":-x}', '[1,]', 'nul'])('refuses %s in the words of JSON.parse', (text) => {
    const words = messageOf(() => JSON.parse(text));
    expect(messageOf(() => parseStrictJson(text))).toBe(words);
  });

  it('refuses bytes that are not UTF-8', () => {
    expect(() => parseStrictJson(Uint8Array.of(0x22, 0xff, 0x22))).toThrow(SyntaxError);
  });

  it.each([
    ['2^53 - 1', '9007199254740991'],
    ['its negative', '-9007199254740991'],
    ['nesting of 500', nested(500)],
    ['the same name in two objects', '[{"a":1},{"a":2},{"b":{"a":1},"a":2}]'],
    ['a value that is spelt like a member', '{"a":"a","b":"a"}'],
    ['names in arrays', '{"a":["a","a"],"b":["a"]}'],
    ['names that are those of Object', '{"__proto__":1,"constructor":2}'],
    ['quotes and braces in strings', '{"a\\"":"{\\"a\\":1,","b":"}"}'],
  ])('takes %s', (_what, text) => {
    expect(parseStrictJson(text)).toEqual(JSON.parse(text));
  });

  it('reads whatever JSON.stringify writes as JSON.parse does', () => {
    const value = fc.jsonValue().filter((one) => !/\d{16}|e\+/.test(JSON.stringify(one)));
    fc.assert(
      fc.property(value, (one) => {
        expect(parseStrictJson(JSON.stringify(one, undefined, 1))).toEqual(one);
      }),
    );
  });

  it('takes time in proportion to the size of what it accepts', () => {
    const records = (count: number) =>
      JSON.stringify(Array.from({ length: count }, () => ({ id: 'a', b: 'c' })));
    const [small, large] = [records(5_000), records(80_000)];
    // The same number of records each time, in 16 texts or in one. The clock may be too coarse for less.
    const timeOf = (text: string, times: number) => {
      const before = process.cpuUsage();
      for (let round = 0; round < 6 * times; round++) parseStrictJson(text);
      return process.cpuUsage(before).user;
    };
    timeOf(small, 1);
    // A search through the rest of the text for each string took 16 times as long in one.
    expect(timeOf(large, 1) / timeOf(small, 16)).toBeLessThan(6);
  });

  it('reads backslashes before a quote', () => {
    for (const text of ['"\\\\"', '"\\""', '"\\\\\\""', '["\\\\","\\"\\\\"]', '""']) {
      expect(parseStrictJson(text)).toEqual(JSON.parse(text));
    }
    for (const text of ['"\\"', '"\\\\\\"', '"']) expect(() => parseStrictJson(text)).toThrow(SyntaxError);
  });

  it('takes time in proportion to the size of what it refuses', () => {
    for (const text of [
      '['.repeat(5_000_000),
      '"'.repeat(1_000_001),
      '{"a":'.repeat(1_000_000),
      `"${'\\'.repeat(2_000_001)}`,
    ]) {
      expect(() => parseStrictJson(text)).toThrow(SyntaxError);
    }
  });
});

describe('base64', () => {
  it('is that of RFC 4648, section 4', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = encodeBase64(bytes);
        expect(text).toBe(Buffer.from(bytes).toString('base64'));
        expect(decodeBase64(text)).toEqual(bytes);
      }),
    );
  });

  it('has one spelling for all bytes: another text is refused', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AB/+_-= \n'), maxLength: 8 }), (text) => {
        const bytes = decodeBase64(text);
        if (bytes !== undefined) expect(encodeBase64(bytes)).toBe(text);
        else expect(Buffer.from(text, 'base64').toString('base64')).not.toBe(text);
      }),
      { numRuns: 2000 },
    );
  });

  it.each([
    ['without padding', 'AA'],
    ['with too little padding', 'AA='],
    ['with padding alone', '===='],
    ['with three characters of padding', 'A==='],
    ['with padding in the middle', 'AA==AAAA'],
    ['with padding after a full group', 'AAAA===='],
    ['with a bit that is not used', 'AB=='],
    ['with two bits that are not used', 'AAB='],
    ['of base64url', 'A-_A'],
    ['with a space', 'AA A'],
    ['with a space before', ' AAA'],
    ['with a final newline', 'AAA=\n'],
    ['with a newline after a full group', 'AAAA\nAAA'],
    ['with CRLF', 'AA==\r\n'],
    ['with NUL', 'AAA\0'],
    ['with a letter outside of ASCII', 'AAA\u0410'],
    ['with a lone surrogate', 'AAA\ud800'],
  ])('refuses text %s', (_name, text) => {
    expect(decodeBase64(text)).toBe(undefined);
  });

  it('of no bytes is empty', () => {
    expect(encodeBase64(new Uint8Array())).toBe('');
    expect(decodeBase64('')).toEqual(new Uint8Array());
  });
});
