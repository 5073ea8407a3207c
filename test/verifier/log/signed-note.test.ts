import {
  formatNote,
  formatSignature,
  isNamed,
  isSignedByNoteKey,
  MAX_SIGNATURES,
  parseNote,
  parseNoteKey,
  parseSignatureLines,
} from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { invalid } from '../../support/note-keys.js';

/** The examples of C2SP signed-note. */
const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const LINE =
  '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
const NOTE = `This is an example message.\n\n${LINE}`;

const parse = (note: string) => parseNote(note, invalid);
const lineOf = (name: string, bytes: number[] = [1, 2, 3, 4, 5]) =>
  `— ${name} ${Buffer.from(bytes).toString('base64')}\n`;

describe('the examples of C2SP signed-note', () => {
  it('are parsed, verified and formatted the same', async () => {
    const key = parseNoteKey(VKEY, 'log', invalid);
    const note = parse(NOTE);
    const [line] = note.signatures;
    expect(note.text).toBe('This is an example message.\n');
    expect(note.signatures).toHaveLength(1);
    expect(line && isNamed(line, key)).toBe(true);
    expect(line && (await isSignedByNoteKey(key, line.signature, note.text))).toBe(true);
    expect(line && (await isSignedByNoteKey(key, line.signature, 'This is an example message!\n'))).toBe(
      false,
    );
    expect(formatNote(note)).toBe(NOTE);
  });

  it('can have empty lines in the text', () => {
    const text =
      'Ognuno sta solo sul cuor della terra\ntrafitto da un raggio di sole:\n\ned è subito sera.\n';
    const line =
      '— quasimodo.example/salvatore NnugSzTjtVAewIS+Z/iJhUPeFDkO/5QQ2i5ddnGITLlC+EhfLW9oJKONrMouFSQU0xMcXxj99ihAQwaqP3ZekRwNtIc=\n';
    const note = parse(`${text}\n${line}`);
    expect(note.text).toBe(text);
    expect(note.signatures).toMatchObject([{ name: 'quasimodo.example/salvatore', keyId: '367ba04b' }]);
    expect(formatNote(note)).toBe(`${text}\n${line}`);
  });
});

describe('a head of the checksum database of Go', () => {
  it('is verified with its published key', async () => {
    const key = parseNoteKey(
      'sum.golang.org+033de0ae+Ac4zctda0e5eza+HJyk9SxEdh+s3Ux18htTTAD8OuAn8',
      'log',
      invalid,
    );
    const { text, signatures } = parse(`go.sum database tree
20852163
CsUYapGGPo4dkMgIAUqom/Xajj7h2fB2MPA3j2jxq2I=

— sum.golang.org Az3grlgtzPICa5OS8npVmf1Myq/5IZniMp+ZJurmRDeOoRDe4URYN7u5/Zhcyv2q1gGzGku9nTo+zyWE+xeMcTOAYQ8=
`);
    const [line] = signatures;
    expect(line && isNamed(line, key)).toBe(true);
    expect(line && (await isSignedByNoteKey(key, line.signature, text))).toBe(true);
    expect(line && (await isSignedByNoteKey(key, line.signature, text.replace('3\n', '4\n')))).toBe(false);
  });
});

describe('a note', () => {
  const text = 'some text\n';

  it('has any number of signatures up to 100, in their order, equal ones too', () => {
    expect(MAX_SIGNATURES).toBe(100);
    const lines = Array.from({ length: 100 }, (_one, index) =>
      lineOf(`key-${index % 50}`, [0, 0, 0, index % 50, 9]),
    );
    const { signatures } = parse(`${text}\n${lines.join('')}`);
    expect(signatures.map((line) => formatSignature(line))).toEqual(lines);
    expect(() => parse(`${text}\n${lines.join('')}${lineOf('one-more')}`)).toThrow(
      'more than 100 signatures',
    );
  });

  it('is split at its last empty line', () => {
    expect(parse(`\n\n${LINE}`).text).toBe('\n');
    expect(parse(`\n\n\n${LINE}`).text).toBe('\n\n');
    expect(parse(`${text}\n${LINE}\n${LINE}`)).toMatchObject({ text: `${text}\n${LINE}`, signatures: [{}] });
    expect(parse(`\n${LINE}`.repeat(2)).text).toBe(`\n${LINE}`);
  });

  it('can contain what only looks like a control character', () => {
    const special = '\u007f\u0085\u2028\ufeff\ufffd\u{1F600} — x y\n';
    expect(parse(`${special}\n${LINE}`).text).toBe(special);
    expect(parse(`${text}\n${lineOf('\u007f\ufeff\u200b\u{1F600}')}`).signatures[0]?.name).toBe(
      '\u007f\ufeff\u200b\u{1F600}',
    );
  });

  it('can have signatures of any length and any alphabet of base64', () => {
    for (const length of [5, 6, 7, 68, 76, 2424, 5000]) {
      const bytes = Array.from({ length }, (_one, index) => (index * 251) % 256);
      const [line] = parse(`${text}\n${lineOf('key', bytes)}`).signatures;
      expect([line?.keyId, line?.signature]).toEqual(['00fbf6f1', Uint8Array.from(bytes.slice(4))]);
    }
  });

  const controls = Array.from({ length: 32 }, (_one, code) => String.fromCharCode(code)).filter(
    (character) => character !== '\n',
  );
  it.each([...controls, '\ud800', '\udc00', '\ud800x'])('does not contain %j', (character) => {
    const message = 'contains a character that a note cannot contain';
    for (const note of [
      `some${character}text\n\n${LINE}`,
      `${character}\n\n${LINE}`,
      `${text}\n${lineOf(`na${character}me`)}`,
      `${text}\n${LINE}${character}`,
      `${text}\n${LINE.slice(0, -1)}${character}\n`,
    ])
      expect(() => parse(note)).toThrow(message);
  });

  it.each<[string, string]>([
    ['is empty', ''],
    ['is a newline', '\n'],
    ['is two newlines', '\n\n'],
    ['is three newlines', '\n\n\n'],
    ['is a text', text],
    ['has no signature', `${text}\n`],
    ['has no empty line', `${text}${LINE}`],
    ['has no text', LINE],
    ['has no text but a newline', `\n${LINE}`],
    ['ends with an empty line', `${text}\n${LINE}\n`],
    ['does not end with a newline', `${text}\n${LINE.slice(0, -1)}`],
    ['has text after the signatures', `${text}\n${LINE}more\n`],
    ['has CRLF', `${text}\n${LINE}`.replaceAll('\n', '\r\n')],
    ['has a line that is not a signature', `${text}\n${LINE}x\n${LINE}`],
    ['has a hyphen for the em dash', `${text}\n${LINE.replace('—', '-')}`],
    ['has an en dash for the em dash', `${text}\n${LINE.replace('—', '\u2013')}`],
    ['has no space after the dash', `${text}\n${LINE.replace('— ', '—')}`],
    ['has two spaces after the dash', `${text}\n${LINE.replace('— ', '—  ')}`],
    ['has a space before the dash', `${text}\n ${LINE}`],
    ['has two spaces after the name', `${text}\n${LINE.replace('foo ', 'foo  ')}`],
    ['has a space at the end of the line', `${text}\n${LINE.replace('\n', ' \n')}`],
    ['has a third word', `${text}\n${LINE.replace('\n', ' x\n')}`],
    ['has no name', `${text}\n${LINE.replace('example.com/foo', '')}`],
    ['has only a name', `${text}\n— example.com/foo\n`],
    ['has no signature after the name', `${text}\n— example.com/foo \n`],
    ['has a plus in a name', `${text}\n${lineOf('a+b')}`],
    ['has a space in a name', `${text}\n${lineOf('a b')}`],
    ['has a next line in a name', `${text}\n${lineOf('a\u0085b')}`],
    ['has a no-break space in a name', `${text}\n${lineOf('a\u00a0b')}`],
    ['has an em space in a name', `${text}\n${lineOf('a\u2003b')}`],
    ['has a line separator in a name', `${text}\n${lineOf('a\u2028b')}`],
    ['has a paragraph separator in a name', `${text}\n${lineOf('a\u2029b')}`],
    ['has an ideographic space in a name', `${text}\n${lineOf('a\u3000b')}`],
    ['has only the id of a key', `${text}\n${lineOf('a', [1, 2, 3, 4])}`],
    ['has less than the id of a key', `${text}\n${lineOf('a', [1, 2, 3])}`],
    ['has base64 without padding', `${text}\n${LINE.replace('=', '')}`],
    ['has base64 with a bit that is not used', `${text}\n${LINE.replace('M=', 'N=')}`],
    ['has base64url', `${text}\n— a ____AAAA\n`],
  ])('that %s is refused', (_name, note) => {
    expect(() => parse(note)).toThrow(/^(has|contains) /);
  });

  it('is parsed to what formats it, or refused, whatever it is', () => {
    const piece = fc.constantFrom(
      ...['\n', '\n', '\n\n', '— ', 'a', 'a/b', '+', ' AQIDBAU=', 'é', '\0', '\u0085', '='],
    );
    const anyText = fc.array(piece, { maxLength: 6 }).map((pieces) => pieces.join(''));
    const anyLine = fc.oneof(
      { weight: 9, arbitrary: fc.constant(lineOf('a')) },
      { weight: 1, arbitrary: anyText },
    );
    let accepted = 0;
    fc.assert(
      fc.property(anyText, fc.array(anyLine, { maxLength: 5 }), (before, lines) => {
        const note = `${before}\n\n${lines.join('')}`;
        let parsed: ReturnType<typeof parse>;
        try {
          parsed = parse(note);
        } catch (error) {
          expect((error as Error).message).toMatch(/^(has|contains) /);
          return;
        }
        accepted += 1;
        expect(formatNote(parsed)).toBe(note);
      }),
      { numRuns: 2000 },
    );
    expect(accepted).toBeGreaterThan(200);
    expect(accepted).toBeLessThan(1800);
  });
});

describe('the signature lines that a witness returns', () => {
  const parseLines = (lines: string) => parseSignatureLines(lines, invalid);

  it('are one or more', () => {
    expect(parseLines(LINE)).toEqual(parse(NOTE).signatures);
    expect(parseLines(LINE + lineOf('b')).map(({ name }) => name)).toEqual(['example.com/foo', 'b']);
    expect(parseLines(lineOf('a').repeat(100))).toHaveLength(100);
  });

  it.each<[string, string]>([
    ['nothing', ''],
    ['a newline', '\n'],
    ['a newline before', `\n${LINE}`],
    ['an empty line between', `${LINE}\n${LINE}`],
    ['an empty line after', `${LINE}\n`],
    ['something before an empty line', `anything\n\n${LINE}`],
    ['a whole note', NOTE],
    ['no newline at the end', LINE.slice(0, -1)],
    ['a control character in a name', lineOf('a\u001bb')],
    ['101 lines', lineOf('a').repeat(101)],
  ])('are not %s', (_name, lines) => {
    expect(() => parseLines(lines)).toThrow(/^(has|contains) /);
  });
});
