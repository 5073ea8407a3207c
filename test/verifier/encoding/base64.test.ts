import { decodeBase64, encodeBase64 } from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';

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
