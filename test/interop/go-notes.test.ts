import { decodeUtf8, parseNote } from '@passport-registry/verifier/core';
import { beforeAll, expect, it } from 'vitest';
import fc from '../support/fast-check.js';
import { compileGoLog, describeWithGo, type GoLog } from '../support/go-log.js';
import { invalid, noteSigner, signatureBy } from '../support/note-keys.js';

/** What Go says of a note. */
interface GoNote {
  readonly text: string;
  readonly verified: readonly string[] | null;
  readonly unverified: number;
  readonly error?: string;
}

const signer = noteSigner('registry.example/log', 'log');

function parsed(bytes: Uint8Array) {
  try {
    return parseNote(decodeUtf8(bytes), invalid);
  } catch {
    return undefined;
  }
}

/** Whether Go accepts a note only because its decoder of base64 ignores unused bits. */
function hasLooseBase64(note: Uint8Array): boolean {
  const words = Buffer.from(note).toString().split(/[ \n]/);
  return words.some(
    (word) => /^[\w+/]+=+$/.test(word) && Buffer.from(word, 'base64').toString('base64') !== word,
  );
}

describeWithGo('Go and the verifier', () => {
  let go: GoLog;
  beforeAll(async () => {
    go = await compileGoLog();
  });
  const openAll = (notes: readonly Uint8Array[], by = signer) =>
    go(['open', by.vkey], JSON.stringify(notes.map((note) => Buffer.from(note).toString('base64'))))
      .output as GoNote[];

  const line = (name: string, bytes: readonly number[] = [1, 2, 3, 4, 5]) =>
    `— ${name} ${Buffer.from(bytes).toString('base64')}\n`;
  const special = [
    ...Array.from({ length: 0x21 }, (_one, code) => String.fromCharCode(code)),
    ...[
      '\u007f',
      '\u0080',
      '\u0085',
      '\u009f',
      '\u00a0',
      '\u00ad',
      '\u1680',
      '\u180e',
      '\u2000',
      '\u200a',
      '\u200b',
    ],
    ...[
      '\u2028',
      '\u2029',
      '\u202f',
      '\u205f',
      '\u2060',
      '\u3000',
      '\ufeff',
      '\ufffd',
      '\ufffe',
      '\u{1F600}',
    ],
    ...['+', '=', '—', '-', 'é'],
  ];

  it('agree about each special character, in the text and in the name of a key', () => {
    const notes = special.flatMap((character) => [
      Buffer.from(`a${character}b\n\n${line('key')}`),
      Buffer.from(`text\n\n${line(`a${character}b`)}`),
      Buffer.from(`text\n\n${line(character)}`),
      Buffer.from(`text\n\n${line('key')}${character}`),
    ]);
    for (const [index, { error }] of openAll(notes).entries()) {
      const note = notes[index] as Buffer;
      expect([note.toString(), parsed(note) !== undefined]).toEqual([note.toString(), error === undefined]);
    }
  });

  it('agree about notes of 100 and 101 signatures', () => {
    const notes = [99, 100, 101].map((count) =>
      Buffer.from(`text\n\n${Array.from({ length: count }, (_one, index) => line(`key-${index}`)).join('')}`),
    );
    expect(openAll(notes).map(({ unverified }) => unverified)).toEqual([99, 100, 0]);
    expect(notes.map((note) => parsed(note)?.signatures.length)).toEqual([99, 100, undefined]);
  });

  it('agree about what is a note, after any change of bytes', () => {
    const text = 'registry.example/log\n5\nroot\n\nmore é\n';
    const own = signatureBy(signer, text);
    const good = Buffer.from(
      `${text}\n${line(own.name, [...Buffer.from(own.keyId, 'hex'), ...own.signature])}${line('key')}${line('key-2')}`,
    );
    const piece = fc.oneof(
      fc
        .constantFrom('\n', '\n\n', ' ', '— ', '+', '=', '\0', '\r\n', '\u0085', '\u2003', '—', line('key'))
        .map((one) => Buffer.from(one)),
      fc.uint8Array({ minLength: 1, maxLength: 3 }).map((bytes) => Buffer.from(bytes)),
      fc.constant(Buffer.alloc(0)),
    );
    const change = fc.record({ at: fc.nat(good.length), removed: fc.nat(4), inserted: piece });
    const anyNote = fc
      .array(change, { maxLength: 3 })
      .map((changes) =>
        changes.reduce(
          (note, { at, removed, inserted }) =>
            Buffer.concat([note.subarray(0, at), inserted, note.subarray(at + removed)]),
          good,
        ),
      );
    const notes = fc.sample(anyNote, 3000);
    let accepted = 0;
    // Nobody has signed with this key, so Go parses all lines and verifies none.
    const found = openAll(notes, noteSigner(signer.key.name, 'log'));
    for (const [index, { text: foundText, error }] of found.entries()) {
      const note = notes[index] as Buffer;
      const isNote = error === undefined;
      const ours = parsed(note);
      if (isNote && ours === undefined && hasLooseBase64(note)) continue;
      expect([note.toString('latin1'), ours !== undefined]).toEqual([note.toString('latin1'), isNote]);
      if (ours === undefined) continue;
      accepted += 1;
      expect(ours.text).toBe(foundText);
    }
    expect(accepted).toBeGreaterThan(300);
    expect(accepted).toBeLessThan(2500);
  });

  it('refuse each note whose text or signature is changed', () => {
    const text = 'some text\n';
    const note = Buffer.from(
      `${text}\n${line(signer.key.name, [...Buffer.from(signer.key.keyId, 'hex'), ...signer.sign(text)])}`,
    );
    const [good] = openAll([note]);
    expect(good).toMatchObject({ text, verified: [signer.key.name], unverified: 0 });
    const changed = Array.from({ length: note.length }, (_one, at) => {
      const copy = Buffer.from(note);
      copy[at] = (copy[at] ?? 0) ^ 1;
      return copy;
    });
    for (const [index, { verified }] of openAll(changed).entries()) {
      const copy = changed[index] as Buffer;
      if ((verified ?? []).length === 0) continue;
      // Go ignores the bits that base64 does not use. The verifier refuses them.
      expect([index, hasLooseBase64(copy), parsed(copy)]).toEqual([index, true, undefined]);
    }
  });
});
