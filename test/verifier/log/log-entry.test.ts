import { createHash } from 'node:crypto';
import { canonicalBytes } from '@passport-registry/verifier';
import {
  delegationEntry,
  entryBytes,
  formatBundle,
  parseBundle,
  parseEntry,
  publicationEntry,
  rotationEntry,
} from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { invalid } from '../../support/note-keys.js';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const textOf = (entry: Uint8Array) => Buffer.from(entry).toString();
const parse = (text: string | Uint8Array) =>
  parseEntry(typeof text === 'string' ? bytes(text) : text, invalid);
const hashOf = (text: string) => createHash('sha256').update(text).digest('hex');

const LIST = 'ab'.repeat(32);
const SHA = hashOf('a.b.c');
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const UPDATED_AT = '2026-11-21T08:00:00Z';

const PUBLICATION = `{"list":"${LIST}","sequence":7,"sha256":"${SHA}","type":"publication","updated_at":"${UPDATED_AT}"}`;
const DELEGATION = `{"iat":1795248000,"sha256":"${SHA}","type":"delegation"}`;
const ROTATION = `{"next":"${THUMBPRINT}","sha256":"${SHA}","step":1,"type":"rotation"}`;

describe('an entry of a log', () => {
  it('is the canonical form of a statement of the root key, with SHA-256 of its text', () => {
    const publication = publicationEntry({ sha256: LIST, sequence: 7, updatedAt: UPDATED_AT, text: 'a.b.c' });
    expect(textOf(entryBytes(publication))).toBe(PUBLICATION);
    expect(textOf(entryBytes(delegationEntry('a.b.c', 1795248000_999)))).toBe(DELEGATION);
    expect(textOf(entryBytes(rotationEntry('a.b.c', THUMBPRINT, 1)))).toBe(ROTATION);
  });

  it('is in the form of RFC 8785, for all values', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.maxSafeNat(), fc.string(), (one, other, text) => {
        const entries = [
          publicationEntry({ sha256: LIST, sequence: one, updatedAt: UPDATED_AT, text }),
          delegationEntry(text, other),
          rotationEntry(text, THUMBPRINT, Math.max(1, one)),
        ];
        for (const entry of entries) {
          const encoded = entryBytes(entry);
          expect(encoded).toEqual(canonicalBytes(entry));
          expect(parse(encoded)).toEqual(entry);
        }
      }),
    );
  });

  it.each([PUBLICATION, DELEGATION, ROTATION])('%s is parsed', (text) => {
    expect(entryBytes(parse(text))).toEqual(bytes(text));
    expect(parse(text)).toEqual(JSON.parse(text));
  });

  it.each<[string, string]>([
    ['sequence 0', PUBLICATION.replace(':7', ':0')],
    ['the largest sequence', PUBLICATION.replace(':7', ':9007199254740991')],
    ['iat 0', DELEGATION.replace('1795248000', '0')],
    ['step 64', ROTATION.replace('"step":1', '"step":64')],
  ])('may have %s', (_name, text) => {
    expect(entryBytes(parse(text))).toEqual(bytes(text));
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['no JSON', '{'],
    ['null', 'null'],
    ['an array', `[${DELEGATION}]`],
    ['an empty object', '{}'],
    ['another type', DELEGATION.replace('delegation', 'checkpoint')],
    ['the type of another entry', DELEGATION.replace('delegation', 'rotation')],
    ['no type', DELEGATION.replace(',"type":"delegation"', '')],
    ['no hash', DELEGATION.replace(`"sha256":"${SHA}",`, '')],
    ['a hash in upper case', DELEGATION.replace(SHA, SHA.toUpperCase())],
    ['a hash of 63 digits', DELEGATION.replace(SHA, SHA.slice(1))],
    ['a hash with a newline', DELEGATION.replace(SHA, `${SHA.slice(1)}\\n`)],
    ['the hash of a list in upper case', PUBLICATION.replace(LIST, LIST.toUpperCase())],
    ['no list', PUBLICATION.replace(`"list":"${LIST}",`, '')],
    ['a negative sequence', PUBLICATION.replace(':7', ':-7')],
    ['a fraction as a sequence', PUBLICATION.replace(':7', ':7.5')],
    ['a string as a sequence', PUBLICATION.replace(':7', ':"7"')],
    ['the sequence 2^53', PUBLICATION.replace(':7', ':9007199254740992')],
    ['a day that does not exist', PUBLICATION.replace('11-21', '02-30')],
    ['a time with an offset', PUBLICATION.replace('00Z', '00+00:00')],
    ['a time with a fraction', PUBLICATION.replace('00Z', '00.0Z')],
    ['a time as a number', PUBLICATION.replace(`"${UPDATED_AT}"`, '1795248000')],
    ['a negative iat', DELEGATION.replace('1795248000', '-1')],
    ['step 0', ROTATION.replace('"step":1', '"step":0')],
    ['a thumbprint of 42 characters', ROTATION.replace(THUMBPRINT, THUMBPRINT.slice(1))],
    ['a thumbprint with a bit that is not used', ROTATION.replace('S4k', 'S4l')],
    ['a thumbprint in base64', ROTATION.replace('_', '/')],
    ['a byte order mark', `\ufeff${DELEGATION}`],
    ['a member twice', DELEGATION.replace('{', '{"iat":1795248000,')],
  ])('is not %s', (_name, text) => {
    expect(() => parse(text)).toThrow('is not an entry of a registry');
  });

  it('is UTF-8', () => {
    const latin = Buffer.from(DELEGATION.replace('"type"', '"é":1,"type"'), 'latin1');
    expect(() => parse(new Uint8Array(latin))).toThrow('is not an entry of a registry');
  });

  it.each<[string, string]>([
    ['a space', DELEGATION.replace(':', ': ')],
    ['a newline at the end', `${DELEGATION}\n`],
    ['a space before', ` ${DELEGATION}`],
    ['members in another order', `{"sha256":"${SHA}","iat":1795248000,"type":"delegation"}`],
    ['a member more', DELEGATION.replace('"type"', '"size":1,"type"')],
    ['a member of another entry', DELEGATION.replace('"sha256"', '"list":"x","sha256"')],
    ['__proto__', DELEGATION.replace('"iat"', '"__proto__":1,"iat"')],
    ['an escape in a value', DELEGATION.replace('"delegation"', '"deleg\\u0061tion"')],
    ['an escape in a name', DELEGATION.replace('"type"', '"typ\\u0065"')],
    ['a number in another form', DELEGATION.replace('1795248000', '1795248000.0')],
    ['a number with an exponent', DELEGATION.replace('1795248000', '1795248e3')],
    ['minus zero', DELEGATION.replace('1795248000', '-0')],
  ])('with %s is not in canonical form', (_name, text) => {
    expect(() => parse(text)).toThrow('is not in canonical form');
  });

  it('has a hash that one changed byte of the statement changes', () => {
    const entries = ['a.b.c', 'a.b.d', 'a.b.c\n', ''].map((text) => delegationEntry(text, 0).sha256);
    expect(new Set(entries).size).toBe(4);
  });
});

describe('a bundle of entries', () => {
  const parseAll = (bundle: Uint8Array) => parseBundle(bundle, invalid);

  it('has each entry after its length in two bytes', () => {
    expect(formatBundle([bytes('a'), bytes(''), bytes('bcd')])).toEqual(
      Uint8Array.of(0, 1, 97, 0, 0, 0, 3, 98, 99, 100),
    );
    expect(formatBundle([])).toEqual(new Uint8Array());
    expect(parseAll(new Uint8Array())).toEqual([]);
    const long = formatBundle([new Uint8Array(0x0102).fill(7)]);
    expect([...long.subarray(0, 3), long.length]).toEqual([1, 2, 7, 0x0104]);
  });

  it('is parsed to the same entries, from any part of a buffer', () => {
    fc.assert(
      fc.property(fc.array(fc.uint8Array({ maxLength: 600 }), { maxLength: 10 }), (entries) => {
        const bundle = formatBundle(entries);
        expect(parseAll(bundle)).toEqual(entries);
        const shifted = new Uint8Array([1, 2, 3, ...bundle, 4]).subarray(3, 3 + bundle.length);
        expect(parseAll(shifted)).toEqual(entries);
      }),
    );
  });

  it('holds entries of up to 65,535 bytes, and none is cut silently', () => {
    const longest = new Uint8Array(0xffff).fill(1);
    expect(parseAll(formatBundle([longest, bytes('a')]))).toEqual([longest, bytes('a')]);
    expect(() => formatBundle([new Uint8Array(0x10000)])).toThrow(RangeError);
  });

  it('that ends within an entry is refused', () => {
    const bundle = formatBundle([bytes('abc'), bytes('de')]);
    for (const length of [1, 2, 3, 4, 6, 7, 8]) {
      expect(() => parseAll(bundle.subarray(0, length))).toThrow(/^ends within an entry$/);
    }
    expect(parseAll(bundle.subarray(0, 5))).toEqual([bytes('abc')]);
    expect(() => parseAll(new Uint8Array([...bundle, 0]))).toThrow('ends within an entry');
    expect(() => parseAll(Uint8Array.of(0xff, 0xff))).toThrow('ends within an entry');
  });
});
