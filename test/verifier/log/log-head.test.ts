import {
  assertSignedByLog,
  emptyRoot,
  formatHead,
  formatNote,
  type NoteSignature,
  parseHead,
} from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import { flipped, someLeaves } from '../../support/merkle.js';
import {
  cosignatureBy,
  generatePair,
  invalid,
  keyIdOf,
  noteSigner,
  signatureBy,
  signedHead,
} from '../../support/note-keys.js';

/** The example of C2SP tlog-checkpoint. */
const EXAMPLE = `example.com/behind-the-sofa
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— example.com/behind-the-sofa Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`;
const LINE = EXAMPLE.slice(EXAMPLE.lastIndexOf('—'));
const ROOT = 'CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=';

const parse = (head: string) => parseHead(head, invalid);
const [root] = someLeaves(1) as [Uint8Array];
const log = noteSigner('registry.example/log', 'log');

describe('the head of a log', () => {
  it('of the example of C2SP is parsed, and formatted the same', () => {
    const head = parse(EXAMPLE);
    expect(head).toMatchObject({ origin: 'example.com/behind-the-sofa', size: 20852163 });
    expect(Buffer.from(head.root).toString('base64')).toBe(ROOT);
    expect(head.note.signatures).toMatchObject([{ name: head.origin, keyId: '033de0ae' }]);
    expect(formatHead(head)).toBe(head.note.text);
    expect(formatNote(head.note)).toBe(EXAMPLE);
  });

  it('of the example of C2SP tlog-witness has two signatures of one name, with two ids', () => {
    const second =
      '— example.com/behind-the-sofa opLqBQsREYCgu6xQkYQwJr9fo45a62DN9EdmHXnZdXNqlcVGlCum2Wks+49/V6267UEjw6QUXTS5Rovnzv++qbSzm9Q=\n';
    const { note } = parse(EXAMPLE + second);
    expect(note.signatures.map(({ keyId }) => keyId)).toEqual(['033de0ae', 'a292ea05']);
    expect(formatNote(note)).toBe(EXAMPLE + second);
  });

  it.each(['0', '1', '10', '70000', '4294967296', '9007199254740991'])('has the size %s', (size) => {
    const head = parse(`a/log\n${size}\n${ROOT}\n\n${LINE}`);
    expect(String(head.size)).toBe(size);
    expect(formatHead(head)).toBe(head.note.text);
  });

  it('may have any origin, and lines after the root', () => {
    for (const origin of ['a', 'a b+c', '\u2003', '0', 'go.sum database tree']) {
      const text = `${origin}\n1\n${ROOT}\n`;
      expect(parse(`${text}\n${LINE}`)).toMatchObject({ origin, note: { text } });
    }
    const text = `a/log\n1\n${ROOT}\nmore\n— a AAAAAAA=\n`;
    expect(parse(`${text}\n${LINE}`)).toMatchObject({ origin: 'a/log', size: 1, note: { text } });
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
    ['two zeros', `a/log\n00\n${ROOT}\n`],
    ['a sign', `a/log\n+1\n${ROOT}\n`],
    ['a negative size', `a/log\n-1\n${ROOT}\n`],
    ['minus zero', `a/log\n-0\n${ROOT}\n`],
    ['a fraction', `a/log\n1.0\n${ROOT}\n`],
    ['an exponent', `a/log\n1e3\n${ROOT}\n`],
    ['a hexadecimal size', `a/log\n0x1\n${ROOT}\n`],
    ['a size with a space', `a/log\n1 \n${ROOT}\n`],
    ['digits of another script', `a/log\n\u0661\n${ROOT}\n`],
    ['the size 2^53', `a/log\n9007199254740992\n${ROOT}\n`],
    ['the size 2^53 + 1', `a/log\n9007199254740993\n${ROOT}\n`],
    ['the size 2^63', `a/log\n9223372036854775808\n${ROOT}\n`],
    ['the size 2^64', `a/log\n18446744073709551616\n${ROOT}\n`],
    ['a size of 400 digits', `a/log\n${'9'.repeat(400)}\n${ROOT}\n`],
    ['a root of 31 bytes', `a/log\n1\n${Buffer.alloc(31).toString('base64')}\n`],
    ['a root of 33 bytes', `a/log\n1\n${Buffer.alloc(33).toString('base64')}\n`],
    ['a root without padding', `a/log\n1\n${ROOT.slice(0, -1)}\n`],
    ['a root with a bit that is not used', `a/log\n1\n${ROOT.replace('I=', 'J=')}\n`],
    ['a root in hexadecimal', `a/log\n1\n${'ab'.repeat(32)}\n`],
    ['a root with a space', `a/log\n1\n${ROOT} \n`],
  ])('with %s is refused', (_name, text) => {
    expect(() => parse(`${text}\n${LINE}`)).toThrow(/^is not the head of a log$/);
  });

  it('is a signed note', () => {
    expect(() => parse(`a/log\n1\n${ROOT}\n`)).toThrow('has no signature');
    expect(() => parse(EXAMPLE.replaceAll('\n', '\r\n'))).toThrow();
    expect(() => parse(EXAMPLE.slice(0, -1))).toThrow('does not end with a newline');
    expect(() => parse(EXAMPLE.replace('sofa\n', 'sofa\0\n'))).toThrow('a character that a note cannot');
    expect(() => parse(`\ufeff${EXAMPLE}`)).not.toThrow();
    expect(parse(`\ufeff${EXAMPLE}`).origin).not.toBe('example.com/behind-the-sofa');
  });

  it('of an empty log has the root of the empty tree', () => {
    expect(parse(signedHead(log, { size: 0, root: emptyRoot() }))).toMatchObject({
      size: 0,
      root: emptyRoot(),
    });
  });
});

describe('the signature of a log', () => {
  const verdict = (head: string, by = log) =>
    assertSignedByLog(parse(head), by.key, invalid).then(
      () => 'accepted',
      (error: Error) => error.message,
    );
  const NOT_SIGNED = 'is not signed by the key of the log';
  const NOT_VALID = 'has a signature by the key of the log that is not valid';
  const head = { size: 5, root };
  const text = formatHead({ origin: log.key.name, ...head });
  const own = signatureBy(log, text);
  const withLines = (...signatures: NoteSignature[]) => verdict(formatNote({ text, signatures }));

  it('is accepted', async () => {
    expect(await verdict(signedHead(log, head))).toBe('accepted');
    expect(await verdict(signedHead(log, { size: 0, root: emptyRoot() }))).toBe('accepted');
  });

  it('covers every byte of the text', async () => {
    const signed = signedHead(log, head);
    expect(await verdict(signed.replace('\n5\n', '\n6\n'))).toBe(NOT_VALID);
    const other = formatHead({ origin: log.key.name, size: 5, root: flipped(root, 77) });
    expect(await verdict(formatNote({ text: other, signatures: [own] }))).toBe(NOT_VALID);
    expect(await verdict(signed.replace('=\n\n', '=\nmore\n\n'))).toBe(NOT_VALID);
  });

  it('covers the lines after the root', async () => {
    const longer = `${text}more\n`;
    const signatures = [signatureBy(log, longer)];
    expect(await verdict(formatNote({ text: longer, signatures }))).toBe('accepted');
    expect(await verdict(formatNote({ text, signatures }))).toBe(NOT_VALID);
  });

  it('by a log of another origin is refused, and the origin is shown in ASCII', async () => {
    const message = 'has the origin "evil.example/log", but the log is registry.example/log';
    expect(await verdict(signedHead(log, { origin: 'evil.example/log', ...head }))).toBe(message);
    const spoof = await verdict(signedHead(log, { origin: `a\u202e${'x'.repeat(1000)}`, ...head }));
    expect(spoof).toMatch(/^has the origin "a\?x{78}\.\.\.", but the log is registry\.example\/log$/);
  });

  it('by another key is not that of the log, even with its name', async () => {
    const impostor = noteSigner(log.key.name, 'log');
    expect(await withLines(signatureBy(impostor, text))).toBe(NOT_SIGNED);
    expect(await withLines({ ...signatureBy(impostor, text), keyId: log.key.keyId })).toBe(NOT_VALID);
    expect(await withLines({ ...own, name: 'other.example/log' })).toBe(NOT_SIGNED);
    expect(await withLines({ ...own, keyId: impostor.key.keyId })).toBe(NOT_SIGNED);
    expect(await withLines({ ...own, name: log.key.name.toUpperCase() })).toBe(NOT_SIGNED);
  });

  it('stands beside signatures by unknown keys, whatever they say', async () => {
    const unknown = [
      signatureBy(noteSigner('other.example/log', 'log'), text),
      { ...own, name: 'same-id.example', signature: new Uint8Array(64) },
      { name: log.key.name, keyId: '00000000', signature: new Uint8Array(1) },
      { ...own, name: log.key.name.replace('e', '\u0435'), signature: new Uint8Array(64) },
    ];
    expect(await withLines(...unknown, own)).toBe('accepted');
    expect(await withLines(own, ...unknown)).toBe('accepted');
    expect(await withLines(...unknown)).toBe(NOT_SIGNED);
  });

  it('may be there twice, but each must be valid', async () => {
    const broken = { ...own, signature: flipped(own.signature, 300) };
    expect(await withLines(own, own)).toBe('accepted');
    expect(await withLines(own, broken)).toBe(NOT_VALID);
    expect(await withLines(broken, own)).toBe(NOT_VALID);
    expect(await withLines({ ...own, signature: own.signature.slice(0, 63) })).toBe(NOT_VALID);
    expect(await withLines({ ...own, signature: new Uint8Array([...own.signature, 0]) })).toBe(NOT_VALID);
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
