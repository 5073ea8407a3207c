import {
  assertSignedByLog,
  canonicalBytes,
  entryBytes,
  formatBundle,
  formatHead,
  formatNote,
  parseAnyEntry,
  parseBundle,
  parseHead,
  publicationEntry,
  rotationEntry,
  statementHash,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { someLeaves } from '../../support/merkle.js';
import {
  cosignatureBy,
  generatePair,
  Invalid,
  invalid,
  keyIdOf,
  noteSigner,
  signedHead,
} from '../../support/note-keys.js';
import { sha256 } from '../../support/sha256.js';

const bytes = (text: string) => new Uint8Array(Buffer.from(text));
const textOf = (entry: Uint8Array) => Buffer.from(entry).toString();
const entryOf = (text: string | Uint8Array) => {
  const entry = parseAnyEntry(typeof text === 'string' ? bytes(text) : text, invalid);
  if (entry.type === 'unknown') throw invalid('is not an entry of a registry');
  return entry;
};

const LIST = 'ab'.repeat(32);
const SHA = sha256('a.b');
const THUMBPRINT = 'kPrK_qmxVWaYVA9wwBF6Iuo3vVzz7TxHCTwXBygrS4k';
const UPDATED_AT = '2026-11-21T08:00:00Z';

const PUBLICATION = `{"list":"${LIST}","sequence":7,"sha256":"${SHA}","type":"publication","updated_at":"${UPDATED_AT}"}`;
const ROTATION = `{"next":"${THUMBPRINT}","sha256":"${SHA}","step":1,"type":"rotation"}`;

describe('an entry of a log', () => {
  it('is the canonical form of a statement of the root key, with SHA-256 of its signing input', () => {
    const publication = publicationEntry({ sha256: LIST, sequence: 7, updatedAt: UPDATED_AT, hash: SHA });
    expect(textOf(entryBytes(publication))).toBe(PUBLICATION);
    expect(textOf(entryBytes(rotationEntry('a.b.c', THUMBPRINT, 1)))).toBe(ROTATION);
  });

  it('is in the form of RFC 8785, for all values', () => {
    fc.assert(
      fc.property(fc.maxSafeNat(), fc.string(), (one, text) => {
        const entries = [
          publicationEntry({ sha256: LIST, sequence: one, updatedAt: UPDATED_AT, hash: statementHash(text) }),
          rotationEntry(text, THUMBPRINT, 1 + (one % 64)),
        ];
        for (const entry of entries) {
          const encoded = entryBytes(entry);
          expect(encoded).toEqual(canonicalBytes(entry));
          expect(entryOf(encoded)).toEqual(entry);
        }
      }),
    );
  });

  it.each([PUBLICATION, ROTATION])('%s is parsed', (text) => {
    expect(entryBytes(entryOf(text))).toEqual(bytes(text));
    expect(entryOf(text)).toEqual(JSON.parse(text));
  });

  it.each<[string, string]>([
    ['sequence 0', PUBLICATION.replace(':7', ':0')],
    ['the largest sequence', PUBLICATION.replace(':7', ':9007199254740991')],
    ['step 64', ROTATION.replace('"step":1', '"step":64')],
  ])('may have %s', (_name, text) => {
    expect(entryBytes(entryOf(text))).toEqual(bytes(text));
  });

  it.each<[string, string]>([
    ['null', 'null'],
    ['an empty object', '{}'],
    ['another type', ROTATION.replace('rotation', 'checkpoint')],
    ['the type of another entry', ROTATION.replace('rotation', 'publication')],
    ['no type', ROTATION.replace(',"type":"rotation"', '')],
    ['no hash', ROTATION.replace(`"sha256":"${SHA}",`, '')],
    ['a hash in upper case', ROTATION.replace(SHA, SHA.toUpperCase())],
    ['a hash of 63 digits', ROTATION.replace(SHA, SHA.slice(1))],
    ['a hash with a newline', ROTATION.replace(SHA, `${SHA.slice(1)}\\n`)],
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
    ['step 0', ROTATION.replace('"step":1', '"step":0')],
    ['a thumbprint of 42 characters', ROTATION.replace(THUMBPRINT, THUMBPRINT.slice(1))],
    ['a thumbprint with a bit that is not used', ROTATION.replace('S4k', 'S4l')],
    ['a thumbprint in base64', ROTATION.replace('_', '/')],
    ['a byte order mark', `\ufeff${ROTATION}`],
    ['a member twice', ROTATION.replace('{', '{"step":1,')],
  ])('is not %s', (_name, text) => {
    expect(() => entryOf(text)).toThrow(Invalid);
  });

  it('is UTF-8', () => {
    const latin = Buffer.from(ROTATION.replace('"type"', '"é":1,"type"'), 'latin1');
    expect(() => entryOf(new Uint8Array(latin))).toThrow(Invalid);
  });

  it.each<[string, string]>([
    ['a space', ROTATION.replace(':', ': ')],
    ['members in another order', `{"sha256":"${SHA}","next":"${THUMBPRINT}","step":1,"type":"rotation"}`],
    ['a member more', ROTATION.replace('"type"', '"size":1,"type"')],
    ['__proto__', ROTATION.replace('"next"', '"__proto__":1,"next"')],
    ['an escape in a value', ROTATION.replace('"rotation"', '"rot\\u0061tion"')],
    ['a number in another form', ROTATION.replace('"step":1', '"step":1.0')],
    ['minus zero', PUBLICATION.replace(':7', ':-0')],
  ])('with %s is not in canonical form', (_name, text) => {
    expect(() => entryOf(text)).toThrow(Invalid);
  });

  it('of a type that a later version has added is in canonical form, too', () => {
    const text = `{"more":1,"sha256":"${SHA}","type":"more"}`;
    expect(parseAnyEntry(bytes(text), invalid)).toMatchObject({ type: 'unknown', named: 'more', text });
    for (const other of [text.replace(':1', ': 1'), `${text}\n`, text.replace('1', '"\\ud800"')])
      expect(() => parseAnyEntry(bytes(other), invalid)).toThrow(Invalid);
  });

  it('has at most 4,096 bytes, of whatever type', () => {
    const withLength = (length: number) => {
      const entry = (more: string) => `{"more":"${more}","sha256":"${SHA}","type":"more"}`;
      return bytes(entry('x'.repeat(length - entry('').length)));
    };
    expect(parseAnyEntry(withLength(4096), invalid)).toMatchObject({ named: 'more' });
    expect(() => parseAnyEntry(withLength(4097), invalid)).toThrow(Invalid);
  });

  it('has a hash that one changed byte of the statement changes', () => {
    const hashed = (text: string) => rotationEntry(text, THUMBPRINT, 1).sha256;
    expect(new Set(['a.b.c', 'a.c.c', 'b.b.c', ' a.b.c', ''].map(hashed)).size).toBe(5);
    // Two signatures over one signing input are one statement.
    expect(['a.b.c', 'a.b.d', 'a.b.', 'a.b'].map(hashed)).toEqual([SHA, SHA, SHA, SHA]);
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
      expect(() => parseAll(bundle.subarray(0, length))).toThrow(Invalid);
    }
    expect(parseAll(bundle.subarray(0, 5))).toEqual([bytes('abc')]);
    expect(() => parseAll(new Uint8Array([...bundle, 0]))).toThrow(Invalid);
    expect(() => parseAll(Uint8Array.of(0xff, 0xff))).toThrow(Invalid);
  });
});

/** The example of C2SP tlog-checkpoint. */
const EXAMPLE = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;
const LINE = EXAMPLE.slice(EXAMPLE.lastIndexOf('—'));
const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';

const headOf = (head: string) => parseHead(head, invalid);
const [root] = someLeaves(1) as [Uint8Array];
const log = noteSigner('registry.example/log', 'log');

describe('the head of a log', () => {
  it('of the example of C2SP is parsed, and formatted the same', () => {
    const head = headOf(EXAMPLE);
    expect(head).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 });
    expect(Buffer.from(head.root).toString('base64')).toBe(ROOT);
    expect(head.note.signatures).toMatchObject([{ name: head.origin, keyId: '033de0ae' }]);
    expect(formatHead(head)).toBe(head.note.text);
    expect(formatNote(head.note)).toBe(EXAMPLE);
  });

  it.each(['0', '1', '10', '70000', '4294967296', '9007199254740991'])('has the size %s', (size) => {
    const head = headOf(`a/log\n${size}\n${ROOT}\n\n${LINE}`);
    expect(String(head.size)).toBe(size);
    expect(formatHead(head)).toBe(head.note.text);
  });

  it('may have any origin, and lines after the root', () => {
    for (const origin of ['a', 'a b+c', '\u2003', '0', 'go.sum database tree']) {
      const text = `${origin}\n1\n${ROOT}\n`;
      expect(headOf(`${text}\n${LINE}`)).toMatchObject({ origin, note: { text } });
    }
    const text = `a/log\n1\n${ROOT}\nmore\n— a AAAAAAA=\n`;
    expect(headOf(`${text}\n${LINE}`)).toMatchObject({ origin: 'a/log', size: 1, note: { text } });
  });

  it.each<[string, string]>([
    ['no origin', `\n1\n${ROOT}\n`],
    ['no size', `a/log\n${ROOT}\n`],
    ['an empty size', `a/log\n\n${ROOT}\n`],
    ['no root', 'a/log\n1\n'],
    ['an empty root', 'a/log\n1\n\n'],
    ['an empty line before', `\na/log\n1\n${ROOT}\n`],
    ['an empty line after', `a/log\n1\n${ROOT}\n\n`],
    ['an empty line between extensions', `a/log\n1\n${ROOT}\nmore\n\nmore\n`],
    ['the lines in another order', `1\na/log\n${ROOT}\n`],
    ['a leading zero', `a/log\n01\n${ROOT}\n`],
    ['a sign', `a/log\n+1\n${ROOT}\n`],
    ['a fraction', `a/log\n1.0\n${ROOT}\n`],
    ['a size with a space', `a/log\n1 \n${ROOT}\n`],
    ['digits of another script', `a/log\n\u0661\n${ROOT}\n`],
    ['the size 2^53', `a/log\n9007199254740992\n${ROOT}\n`],
    ['the size 2^64', `a/log\n18446744073709551616\n${ROOT}\n`],
    ['a root of 31 bytes', `a/log\n1\n${Buffer.alloc(31).toString('base64')}\n`],
    ['a root of 33 bytes', `a/log\n1\n${Buffer.alloc(33).toString('base64')}\n`],
    ['a root without padding', `a/log\n1\n${ROOT.slice(0, -1)}\n`],
    ['a root with a bit that is not used', `a/log\n1\n${ROOT.replace('I=', 'J=')}\n`],
    ['a root in hexadecimal', `a/log\n1\n${'ab'.repeat(32)}\n`],
  ])('with %s is refused', (_name, text) => {
    expect(() => headOf(`${text}\n${LINE}`)).toThrow(Invalid);
  });
});

describe('the signature of a log', () => {
  const verdict = (head: string, by = log) =>
    assertSignedByLog(headOf(head), by.key, invalid).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  const NOT_SIGNED = 'is not signed by the key of the log';
  const NOT_VALID = 'has an invalid signature by the key of the log';
  const head = { size: 5, root };
  const text = formatHead({ origin: log.key.name, ...head });

  it('by a log of another origin is refused, and the origin is shown in ASCII', async () => {
    const message = 'has the origin "evil.example/log", but the log is registry.example/log';
    expect(await verdict(signedHead(log, { origin: 'evil.example/log', ...head }))).toBe(message);
    const spoof = await verdict(signedHead(log, { origin: `a\u202e${'x'.repeat(1000)}`, ...head }));
    expect(spoof).toMatch(/"a\?x{78}\.\.\."/);
  });

  it('is no cosignature, even by the same key', async () => {
    const pair = generatePair();
    const [asLog, asWitness] = [
      noteSigner(log.key.name, 'log', pair),
      noteSigner(log.key.name, 'witness', pair),
    ];
    expect(asLog.key.keyId).not.toBe(asWitness.key.keyId);
    const cosigned = formatNote({ text, signatures: [cosignatureBy(asWitness, text, 1_800_000_000)] });
    expect(await verdict(cosigned, asLog)).toBe(NOT_SIGNED);
    const renamed = { ...cosignatureBy(asWitness, text, 1_800_000_000), keyId: asLog.key.keyId };
    expect(await verdict(formatNote({ text, signatures: [renamed] }), asLog)).toBe(NOT_VALID);
    expect(asLog.key.keyId).toBe(
      keyIdOf(log.key.name, 1, new Uint8Array(Buffer.from(asLog.key.jwk.x, 'base64url'))),
    );
  });
});
