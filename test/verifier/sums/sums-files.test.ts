import {
  placeOf as corePlaceOf,
  levelsFor,
  mayHaveLevels,
  prefixesTo,
  readSums,
  recordPath,
  type SummedRecord,
  sumsPath,
  sumsTree,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { sha256 } from '../../support/sha256.js';
import { naiveSums, placeOf } from '../../support/sums.js';

const HASH = 'ab'.repeat(32);
const INVALID = expect.objectContaining({ code: 'ERR_SUMS_INVALID' });
const line = (path: string, hash = HASH) => `${hash}  ${path}\n`;
const bytes = (text: string | Uint8Array) =>
  typeof text === 'string' ? new TextEncoder().encode(text) : text;
const read = (text: string | Uint8Array, prefix = '', levels = 0) =>
  readSums(bytes(text), { prefix, levels });

/** Ids whose places begin with a prefix, sorted. */
function idsAt(prefix: string, count: number): string[] {
  const ids: string[] = [];
  for (let number = 0; ids.length < count; number++) {
    const id = `id-${String(number).padStart(5, '0')}`;
    if (placeOf(id).startsWith(prefix)) ids.push(id);
  }
  return ids;
}

describe('a leaf of the tree of sums', () => {
  const [first = '', second = ''] = idsAt('3', 2);

  it('lists records below its prefix', () => {
    const sums = read(line(`issuers/${first}`) + line(`issuers/${second}`, 'cd'.repeat(32)), '3', 1);
    expect([...sums]).toEqual([
      [`issuers/${first}`, HASH],
      [`issuers/${second}`, 'cd'.repeat(32)],
    ]);
  });

  it('may be the root, with any id, and empty', () => {
    expect([...read(line('issuers/a') + line(`issuers/${'z'.repeat(128)}`)).keys()]).toHaveLength(2);
    expect(read('').size).toBe(0);
    expect(read('', '', 8).size).toBe(0);
  });

  it('may have a prefix of eight digits', () => {
    const place = placeOf('alpha').slice(0, 8);
    expect(read(line('issuers/alpha'), place, 8).size).toBe(1);
    expect(() => read(line('issuers/beta'), place, 8)).toThrow(INVALID);
  });

  it('refuses a record of another branch', () => {
    const [other = ''] = idsAt('4', 1);
    expect(() => read(line(`issuers/${other}`), '3', 1)).toThrow(INVALID);
  });

  it('sorts by code units: - before . before digits before _', () => {
    const ids = ['a', 'a-b', 'a.b', 'a0', 'a_b', 'ab'];
    expect(read(ids.map((id) => line(`issuers/${id}`)).join('')).size).toBe(6);
    for (let at = 1; at < ids.length; at++) {
      const swapped = [...ids.slice(0, at - 1), ids[at], ids[at - 1], ...ids.slice(at + 1)];
      expect(() => read(swapped.map((id) => line(`issuers/${id}`)).join(''))).toThrow(INVALID);
    }
  });
});

describe('an inner file of the tree of sums', () => {
  it('lists its children', () => {
    const digits = [...'0123456789abcdef'];
    expect(read(digits.map((digit) => line(`sums/${digit}`)).join(''), '', 1).size).toBe(16);
    expect(read(digits.map((digit) => line(`sums/3f${digit}`)).join(''), '3f', 3).size).toBe(16);
    expect(read(line('sums/f'), '', 8).size).toBe(1);
  });

  it.each([
    ['the root', 'sums/root', '', 1],
    ['the file itself', 'sums/3', '3', 2],
    ['a grandchild', 'sums/3f0', '3', 3],
    ['a child of another file', 'sums/4f', '3', 2],
    ['a digit that is not hexadecimal', 'sums/3g', '3', 2],
    ['an upper-case digit', 'sums/3F', '3', 2],
    ['no digit', 'sums/', '', 1],
    ['a record', 'issuers/alpha', '', 1],
    ['another folder', 'other/3', '', 1],
  ] as const)('refuses %s', (_name, path, prefix, levels) => {
    expect(() => read(line(path), prefix, levels)).toThrow(INVALID);
  });

  it('refuses children out of order, and a child twice', () => {
    expect(() => read(line('sums/4') + line('sums/3'), '', 1)).toThrow(INVALID);
    expect(() => read(line('sums/3').repeat(2), '', 1)).toThrow(INVALID);
  });

  it('is not empty below the root', () => {
    expect(() => read('', '3', 2)).toThrow(INVALID);
    expect(() => read('', '3f', 2)).toThrow(INVALID);
  });
});

describe('a line of a sums file', () => {
  it('is refused as the last of many, and the message names the file', () => {
    const ids = idsAt('', 64);
    const text = ids.map((id) => line(`issuers/${id}`)).join('');
    expect(read(text).size).toBe(64);
    const named = { code: 'ERR_SUMS_INVALID', message: expect.stringMatching(/^sums\/root /) };
    expect(() => read(`${text}x\n`)).toThrow(expect.objectContaining(named));
  });
});

const id = fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/).filter((one) => one !== 'index');
const registries = fc.dictionary(id, fc.nat(), { maxKeys: 60 });

function treeOf(hashes: ReadonlyMap<string, string>, levels: number) {
  const records = [...hashes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([one, hash]) => ({ id: one, place: corePlaceOf(one), sha256: hash }));
  return sumsTree(records, levels, sha256);
}

describe('a tree of sums', () => {
  it('is that of an independent implementation', () => {
    fc.assert(
      fc.property(registries, fc.integer({ min: 0, max: 4 }), (numbers, levels) => {
        const hashes = new Map(
          Object.entries(numbers).map(([one, number]) => [one, sha256(Buffer.from(String(number)))]),
        );
        const naive = naiveSums(hashes, levels);
        // With levels, the root of an empty registry is empty, too.
        const { files, sha256: root } = treeOf(hashes, levels);
        const asText = (tree: ReadonlyMap<string, Uint8Array>) =>
          [...tree].map(([path, bytes]) => [path, Buffer.from(bytes).toString()]).sort();
        expect(asText(files)).toEqual(asText(naive));
        expect(root).toBe(sha256(naive.get('sums/root') as Buffer));
        expect([...files.keys()][0]).toBe('sums/root');
        expect(naive.has('sums/root')).toBe(true);
      }),
      { numRuns: 150 },
    );
  });

  it('proves each record, and the absence of others, at each number of levels', () => {
    const hashes = new Map(
      Array.from({ length: 40 }, (_one, index) => [`id-${index}`, placeOf(String(index))]),
    );
    /** Descends as a client does. Returns the hash of the record, or undefined. */
    const find = (files: ReadonlyMap<string, Uint8Array>, wanted: string, levels: number) => {
      let expected: string | undefined = sha256(files.get('sums/root') as Uint8Array);
      for (const prefix of prefixesTo(corePlaceOf(wanted), levels)) {
        const bytes = files.get(sumsPath(prefix)) as Uint8Array;
        expect(sha256(bytes)).toBe(expected);
        const sums = readSums(bytes, { prefix, levels });
        const next =
          prefix.length === levels
            ? recordPath(wanted)
            : sumsPath(placeOf(wanted).slice(0, prefix.length + 1));
        expected = sums.get(next);
        if (expected === undefined) return undefined;
      }
      return expected;
    };
    for (let levels = 0; levels <= 8; levels++) {
      const { files } = treeOf(hashes, levels);
      for (const [one, hash] of hashes) expect(find(files, one, levels)).toBe(hash);
      for (const one of ['nobody', 'id-', 'id-40', 'id-1x']) expect(find(files, one, levels)).toBeUndefined();
    }
  });

  it('of no records is one empty root', () => {
    const { files, sha256: root, levels } = treeOf(new Map(), 0);
    expect([...files].map(([path, { length }]) => [path, length])).toEqual([['sums/root', 0]]);
    expect(root).toBe('e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
    expect(levels).toBe(0);
  });

  it('has the places of ids from their SHA-256', () => {
    expect(corePlaceOf('alpha')).toBe(placeOf('alpha'));
    expect(prefixesTo('3fa9', 0)).toEqual(['']);
    expect(prefixesTo('3fa9', 3)).toEqual(['', '3', '3f', '3fa']);
    expect([sumsPath(''), sumsPath('3fa'), recordPath('a.b')]).toEqual([
      'sums/root',
      'sums/3fa',
      'issuers/a.b',
    ]);
  });
});

const SHA256 = '0'.repeat(64);

/** Records whose places are spread evenly. @param idLength - the length of each id */
function spread(count: number, idLength = 8): SummedRecord[] {
  return Array.from({ length: count }, (_one, index) => ({
    id: String(index).padStart(idLength, 'x'),
    // Digits in reverse, so that neighbours are in different branches.
    place: [...index.toString(16).padStart(8, '0')].reverse().join('').padEnd(64, '0'),
    sha256: SHA256,
  }));
}

/** The length of a line without the id. */
const LINE_BYTES = 64 + '  issuers/'.length + 1;

/** Records that are all in one branch. */
function crowded(count: number, idLength: number): SummedRecord[] {
  return spread(count, idLength).map((record) => ({ ...record, place: '7'.repeat(64) }));
}

describe('the number of levels of a tree of sums', () => {
  it.each([
    [0, 0],
    [1, 0],
    [64, 0],
    [65, 1],
    [1024, 1],
    [1025, 2],
    [16_384, 2],
    [16_385, 3],
  ])('is, for a first publication of %i records, %i', (records, levels) => {
    expect(levelsFor(spread(records), 0)).toBe(levels);
  });

  it.each([
    [64, 1, 1],
    [17, 1, 1],
    [16, 1, 0],
    [0, 1, 0],
    [0, 8, 0],
    [257, 2, 2],
    [256, 2, 1],
    [1024, 2, 2],
    [17, 8, 1],
    [1025, 1, 2],
    [1025, 3, 2],
    [256, 3, 1],
    [4096, 3, 2],
    [4097, 3, 3],
  ])('is, for %i records after %i levels, %i', (records, previous, levels) => {
    expect(levelsFor(spread(records), previous)).toBe(levels);
  });

  it('grows if a leaf has more than 64 KiB', () => {
    // 512 records of 128 bytes each, all in one branch: 64 KiB. On one level, there are 32 on average.
    const full = crowded(512, 128 - LINE_BYTES);
    expect(levelsFor(full, 0)).toBe(1);
    const [first, ...others] = full as [SummedRecord, ...SummedRecord[]];
    expect(levelsFor([{ ...first, id: `${first.id}x` }, ...others], 0)).toBe(8);
    // Whichever leaf is read last.
    const last = { ...first, id: 'last', place: 'f'.repeat(64) };
    expect(levelsFor([...full, ...crowded(1, 1), last], 0)).toBe(8);
    // The size of a leaf counts, and not the number of its records.
    expect(levelsFor([...others, ...crowded(1, 1)], 0)).toBe(1);
    expect(levelsFor([...full, ...crowded(1, 1)], 0)).toBe(8);
  });

  it('never exceeds 8, however full the leaves are', () => {
    const tooFull = crowded(1000, 60);
    expect(levelsFor(tooFull, 0)).toBe(8);
    expect(mayHaveLevels(tooFull, 8)).toBe(true);
    expect(mayHaveLevels(tooFull, 7)).toBe(false);
  });

  it('does not shrink if a leaf would have more than 64 KiB', () => {
    // Two crowded branches below one, on the second level.
    const half = (digit: string, count: number) =>
      crowded(count, 128 - LINE_BYTES).map((record, index) => ({
        ...record,
        id: `${digit}${record.id.slice(1)}`,
        place: `7${digit}${index.toString(16).padStart(6, '0')}`.padEnd(64, '0'),
      }));
    expect(levelsFor([...half('a', 256), ...half('b', 256)], 2)).toBe(2);
    expect(levelsFor([...half('a', 256), ...half('b', 256)], 0)).toBe(1);
    expect(levelsFor([...half('a', 257), ...half('b', 256)], 0)).toBe(2);
    expect(levelsFor([...half('a', 120), ...half('b', 120)], 2)).toBe(1);
  });

  it('is permitted exactly if a publication after it keeps it', () => {
    fc.assert(
      fc.property(fc.nat(3000), fc.nat(5), (count, levels) => {
        const records = spread(count);
        expect(mayHaveLevels(records, levels)).toBe(levelsFor(records, levels) === levels);
        expect(mayHaveLevels(records, levelsFor(records, levels))).toBe(true);
      }),
      { numRuns: 200 },
    );
  });
});
