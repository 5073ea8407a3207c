import { formatLogProof, parseHead, parseLogProof, provesEntry } from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { flipped, mutationsOf, naiveLeaf, naivePath, naiveRoot, someLeaves } from '../../support/merkle.js';
import { invalid, noteSigner, signedHead } from '../../support/note-keys.js';

const log = noteSigner('registry.example/log', 'log');
const entries = Array.from({ length: 11 }, (_one, index) => Buffer.from(`entry ${index}`));
const leaves = entries.map((entry) => naiveLeaf(entry));

const headOf = (size: number) => signedHead(log, { size, root: naiveRoot(leaves.slice(0, size)) });
const lineOf = (hash: Uint8Array) => `${Buffer.from(hash).toString('base64')}\n`;
const parse = (text: string) => parseLogProof(text, invalid);

/** Writes a proof as C2SP tlog-proof describes it. */
function proofText(index: number, size: number, extra = ''): string {
  const path = naivePath(index, leaves.slice(0, size)).map(lineOf).join('');
  return `c2sp.org/tlog-proof@v1\n${extra}index ${index}\n${path}\n${headOf(size)}`;
}

describe('a proof that a log contains an entry', () => {
  it('is parsed, formatted the same, and proves only this entry at this place', () => {
    for (let size = 1; size <= entries.length; size++) {
      for (let index = 0; index < size; index++) {
        const text = proofText(index, size);
        const proof = parse(text);
        expect(proof).toMatchObject({ index, head: { origin: log.key.name, size } });
        expect(formatLogProof(proof)).toBe(text);
        const proven = entries.flatMap((entry, at) => (provesEntry(proof, entry) ? [at] : []));
        expect(proven).toEqual([index]);
      }
    }
  });

  it('proves nothing after any mutation', () => {
    const proof = parse(proofText(6, 11));
    const entry = entries[6] as Buffer;
    expect(provesEntry(proof, entry)).toBe(true);
    for (const [name, path] of mutationsOf(proof.path)) {
      expect([name, provesEntry({ ...proof, path }, entry)]).toEqual([name, false]);
    }
    for (const index of [-1, 0, 5, 7, 10, 11, 6.5, Number.NaN]) {
      expect([index, provesEntry({ ...proof, index }, entry)]).toEqual([index, false]);
    }
    const { head } = proof;
    // At these sizes, the path has another length.
    for (const size of [0, 6, 7, 8, 17, 22]) {
      expect([size, provesEntry({ ...proof, head: { ...head, size } }, entry)]).toEqual([size, false]);
    }
    expect(provesEntry({ ...proof, head: { ...head, root: flipped(head.root, 9) } }, entry)).toBe(false);
    for (let bit = 0; bit < entry.length * 8; bit++)
      expect(provesEntry(proof, flipped(entry, bit))).toBe(false);
    expect(provesEntry(proof, new Uint8Array())).toBe(false);
  });

  it('does not prove an inner node as an entry', () => {
    const [left, right, third] = leaves as [Uint8Array, Uint8Array, Uint8Array];
    const proof = parse(proofText(2, 3));
    expect(provesEntry(proof, entries[2] as Buffer)).toBe(true);
    const node = Buffer.concat([left, right]);
    for (const prefixed of [node, Buffer.concat([Buffer.of(1), node])]) {
      for (const index of [0, 1, 2])
        expect(provesEntry({ ...proof, index, path: [third] }, prefixed)).toBe(false);
    }
  });

  it('may have extra data, which is skipped', () => {
    const text = proofText(2, 5);
    for (const extra of ['AAAA', 'AA==', '', Buffer.alloc(3000, 7).toString('base64')]) {
      const proof = parse(proofText(2, 5, `extra ${extra}\n`));
      expect(proof).toEqual(parse(text));
      expect(formatLogProof(proof)).toBe(text);
    }
  });

  it('has at most 63 hashes', () => {
    const many = (count: number) =>
      `c2sp.org/tlog-proof@v1\nindex 0\n${someLeaves(count).map(lineOf).join('')}\n${headOf(1)}`;
    expect(parse(many(63)).path).toHaveLength(63);
    expect(() => parse(many(64))).toThrow('has a malformed line');
  });

  it.each(['0', '9', '10', '4294967296', '9007199254740991'])('has the index %s', (index) => {
    const proof = parse(proofText(2, 5).replace('index 2', `index ${index}`));
    expect(proof.index).toBe(Number(index));
    expect(provesEntry(proof, entries[2] as Buffer)).toBe(false);
  });

  const good = proofText(2, 5);
  it.each<[string, string]>([
    ['nothing', ''],
    ['a head', headOf(5)],
    ['another version', good.replace('@v1', '@v2')],
    ['no first line', good.slice(good.indexOf('\n') + 1)],
    ['a byte order mark', `\ufeff${good}`],
    ['a space before', ` ${good}`],
    ['a newline before', `\n${good}`],
    ['CRLF', good.replaceAll('\n', '\r\n')],
    ['a space after the first line', good.replace('@v1', '@v1 ')],
    ['an empty line after the first line', good.replace('@v1\n', '@v1\n\n')],
  ])('that is or has %s is refused', (_name, text) => {
    expect(() => parse(text)).toThrow(
      /^does not begin with c2sp\.org\/tlog-proof@v1$|^has a malformed line$/,
    );
  });

  it.each<[string, string]>([
    ['no index', good.replace('index 2\n', '')],
    ['an empty index', good.replace('index 2', 'index ')],
    ['an index without a space', good.replace('index 2', 'index2')],
    ['an index with two spaces', good.replace('index 2', 'index  2')],
    ['an index and a space', good.replace('index 2', 'index 2 ')],
    ['an index with a leading zero', good.replace('index 2', 'index 02')],
    ['the index 00', good.replace('index 2', 'index 00')],
    ['a negative index', good.replace('index 2', 'index -2')],
    ['an index with a sign', good.replace('index 2', 'index +2')],
    ['an index with a fraction', good.replace('index 2', 'index 2.0')],
    ['an index with an exponent', good.replace('index 2', 'index 2e0')],
    ['the index 2^53', good.replace('index 2', 'index 9007199254740992')],
    ['the index 2^53 + 1', good.replace('index 2', 'index 9007199254740993')],
    ['the index 2^63', good.replace('index 2', 'index 9223372036854775808')],
    ['two indexes', good.replace('index 2\n', 'index 2\nindex 2\n')],
    ['Index', good.replace('index', 'Index')],
    ['extra data after the index', good.replace('index 2\n', 'index 2\nextra AAAA\n')],
    ['extra data twice', good.replace('index', 'extra AAAA\nextra AAAA\nindex')],
    ['extra data without a space', good.replace('index', 'extra\nindex')],
    ['extra data that is not base64', good.replace('index', 'extra A\nindex')],
    ['extra data without padding', good.replace('index', 'extra AA\nindex')],
    ['extra data with a bit that is not used', good.replace('index', 'extra AB==\nindex')],
    ['extra data with two spaces', good.replace('index', 'extra  AAAA\nindex')],
    ['a hash of 31 bytes', good.replace('index 2\n', `index 2\n${lineOf(Buffer.alloc(31))}`)],
    ['a hash of 33 bytes', good.replace('index 2\n', `index 2\n${lineOf(Buffer.alloc(33))}`)],
    ['a hash in hexadecimal', good.replace('index 2\n', `index 2\n${'ab'.repeat(32)}\n`)],
    ['a hash without padding', good.replace('=\n', '\n')],
    ['a hash with a space', good.replace('=\n', '= \n')],
    ['a hash with a control character', good.replace('=\n', '=\0\n')],
  ])('with %s is refused', (_name, text) => {
    expect(() => parse(text)).toThrow(/^has a malformed line$/);
  });

  it('needs a signed head after an empty line', () => {
    const end = good.indexOf('\n\n');
    for (const rest of ['', '\n', '\n\n', '\n\n\n']) expect(() => parse(good.slice(0, end) + rest)).toThrow();
    expect(() => parse(good.replace('\n\n', '\n\n\n'))).toThrow('is not the head of a log');
    expect(() => parse(good.replace('\n5\n', '\n05\n'))).toThrow('is not the head of a log');
    expect(() => parse(good.slice(0, -1))).toThrow('does not end with a newline');
    expect(() => parse(good.slice(0, good.indexOf('—')))).toThrow('has no signature');
    expect(() => parse(good.replace('—', '-'))).toThrow('malformed signature line');
    expect(() => parse(`${good}\n`)).toThrow('has no signature');
  });

  it('has one spelling: what is parsed is formatted the same, or had extra data', () => {
    const anyPlace = fc.nat(good.length - 1);
    const anyText = fc.constantFrom('', '\n', '0', '1', 'A', '=', ' ', '\u00a0', 'x', good.slice(0, 40));
    fc.assert(
      fc.property(anyPlace, fc.nat(3), anyText, (at, removed, inserted) => {
        const text = good.slice(0, at) + inserted + good.slice(at + removed);
        let proof: ReturnType<typeof parse>;
        try {
          proof = parse(text);
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
