import {
  formatLogProof,
  formatNote,
  formatSignature,
  isNamed,
  isSignedByNoteKey,
  MAX_SIGNATURES,
  parseHead,
  parseLogProof,
  parseNote,
  parseNoteKey,
  parseSignatureLines,
  provesEntry,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { naiveLeaf, naivePath, naiveRoot, someLeaves } from '../../support/merkle.js';
import { Invalid, invalid, noteSigner, signedHead } from '../../support/note-keys.js';

/** The examples of C2SP signed-note. */
const VKEY = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const LINE =
  '— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=\n';
const NOTE = `This is an example message.\n\n${LINE}`;

const noteOf = (note: string) => parseNote(note, invalid);
const lineOf = (name: string, bytes: number[] = [1, 2, 3, 4, 5]) =>
  `— ${name} ${Buffer.from(bytes).toString('base64')}\n`;

describe('the examples of C2SP signed-note', () => {
  it('are parsed, verified and formatted the same', async () => {
    const key = parseNoteKey(VKEY, 'log', invalid);
    const note = noteOf(NOTE);
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
});

describe('a note', () => {
  const text = 'some text\n';

  it('has any number of signatures up to 100, in their order, equal ones too', () => {
    expect(MAX_SIGNATURES).toBe(100);
    const lines = Array.from({ length: 100 }, (_one, index) =>
      lineOf(`key-${index % 50}`, [0, 0, 0, index % 50, 9]),
    );
    const { signatures } = noteOf(`${text}\n${lines.join('')}`);
    expect(signatures.map((line) => formatSignature(line))).toEqual(lines);
    expect(() => noteOf(`${text}\n${lines.join('')}${lineOf('one-more')}`)).toThrow(
      'more than 100 signatures',
    );
  });

  it('is split at its last empty line', () => {
    expect(noteOf(`\n\n${LINE}`).text).toBe('\n');
    expect(noteOf(`\n\n\n${LINE}`).text).toBe('\n\n');
    expect(noteOf(`${text}\n${LINE}\n${LINE}`)).toMatchObject({ text: `${text}\n${LINE}`, signatures: [{}] });
    expect(noteOf(`\n${LINE}`.repeat(2)).text).toBe(`\n${LINE}`);
  });

  it('can contain what only looks like a control character', () => {
    const special = '\u007f\u0085\u2028\ufeff\ufffd\u{1F600} — x y\n';
    expect(noteOf(`${special}\n${LINE}`).text).toBe(special);
    expect(noteOf(`${text}\n${lineOf('\u007f\ufeff\u200b\u{1F600}')}`).signatures[0]?.name).toBe(
      '\u007f\ufeff\u200b\u{1F600}',
    );
  });

  it('can have signatures of any length and any alphabet of base64', () => {
    for (const length of [5, 6, 7, 68, 76, 2424, 5000]) {
      const bytes = Array.from({ length }, (_one, index) => (index * 251) % 256);
      const [line] = noteOf(`${text}\n${lineOf('key', bytes)}`).signatures;
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
      expect(() => noteOf(note)).toThrow(message);
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
        let parsed: ReturnType<typeof noteOf>;
        try {
          parsed = noteOf(note);
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
    expect(parseLines(LINE)).toEqual(noteOf(NOTE).signatures);
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
    expect(() => parseLines(lines)).toThrow(Invalid);
  });
});

const log = noteSigner('registry.example/log', 'log');
const entries = Array.from({ length: 11 }, (_one, index) => Buffer.from(`entry ${index}`));
const leaves = entries.map((entry) => naiveLeaf(entry));

const headOf = (size: number) => signedHead(log, { size, root: naiveRoot(leaves.slice(0, size)) });
const hashLine = (hash: Uint8Array) => `${Buffer.from(hash).toString('base64')}\n`;
const proofOf = (text: string) => parseLogProof(text, invalid);

/** Writes a proof as C2SP tlog-proof describes it. */
function proofText(index: number, size: number, extra = ''): string {
  const path = naivePath(index, leaves.slice(0, size)).map(hashLine).join('');
  return `c2sp.org/tlog-proof@v1\n${extra}index ${index}\n${path}\n${headOf(size)}`;
}

describe('a proof that a log contains an entry', () => {
  it('is parsed, formatted the same, and proves only this entry at this place', () => {
    for (let size = 1; size <= entries.length; size++) {
      for (let index = 0; index < size; index++) {
        const text = proofText(index, size);
        const proof = proofOf(text);
        expect(proof).toMatchObject({ index, head: { origin: log.key.name, size } });
        expect(formatLogProof(proof)).toBe(text);
        const proven = entries.flatMap((entry, at) => (provesEntry(proof, entry) ? [at] : []));
        expect(proven).toEqual([index]);
      }
    }
  });

  it('has at most 63 hashes', () => {
    const many = (count: number) =>
      `c2sp.org/tlog-proof@v1\nindex 0\n${someLeaves(count).map(hashLine).join('')}\n${headOf(1)}`;
    expect(proofOf(many(63)).path).toHaveLength(63);
    expect(() => proofOf(many(64))).toThrow(Invalid);
  });

  it('has at most 64 KiB, as a text and as bytes', () => {
    const text = proofText(2, 5);
    const padding = 'x'.repeat(64 * 1024 - Buffer.byteLength(text) - 1);
    const withLine = (line: string) => text.replace('\n\n—', `\n${line}\n\n—`);
    for (const form of [String, (file: string) => new Uint8Array(Buffer.from(file))]) {
      expect(parseLogProof(form(withLine(padding)), invalid).index).toBe(2);
      const larger = form(withLine(`${padding}x`));
      expect(() => parseLogProof(larger, invalid)).toThrow(Invalid);
    }
  });

  const good = proofText(2, 5);
  it('has one spelling: what is parsed is formatted the same, or had extra data', () => {
    const anyPlace = fc.nat(good.length - 1);
    const anyText = fc.constantFrom('', '\n', '0', '1', 'A', '=', ' ', '\u00a0', 'x', good.slice(0, 40));
    fc.assert(
      fc.property(anyPlace, fc.nat(3), anyText, (at, removed, inserted) => {
        const text = good.slice(0, at) + inserted + good.slice(at + removed);
        let proof: ReturnType<typeof proofOf>;
        try {
          proof = proofOf(text);
        } catch {
          return;
        }
        expect(formatLogProof(proof)).toBe(text);
        const isSame = proof.head.root.toString() === parseHead(headOf(5), invalid).root.toString();
        if (provesEntry(proof, entries[2] as Buffer)) expect([proof.index, isSame]).toEqual([2, true]);
      }),
      { numRuns: 3000 },
    );
  });
});
