import { levelsFor, mayHaveLevels, type SummedRecord } from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { placeOf } from '../../support/sums.js';

const SHA256 = '0'.repeat(64);

/** Records whose places are spread evenly. @param idLength - the length of each id */
function spread(count: number, idLength = 8): SummedRecord[] {
  return Array.from({ length: count }, (_one, index) => ({
    id: String(index).padStart(idLength, 'x'),
    // Digits in reverse, so that neighbours are in different branches.
    idHash: [...index.toString(16).padStart(8, '0')].reverse().join('').padEnd(64, '0'),
    sha256: SHA256,
  }));
}

/** The length of a line without the id. */
const LINE_BYTES = 64 + '  issuers/'.length + 1;

/** Records that are all in one branch. */
function crowded(count: number, idLength: number): SummedRecord[] {
  return spread(count, idLength).map((record) => ({ ...record, idHash: '7'.repeat(64) }));
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
        idHash: `7${digit}${index.toString(16).padStart(6, '0')}`.padEnd(64, '0'),
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

  it('stays for one record more or less, away from the limits', () => {
    for (const [count, levels] of [
      [40, 0],
      [40, 1],
      [500, 1],
      [500, 2],
    ] as const) {
      for (const records of [count - 1, count, count + 1])
        expect(levelsFor(spread(records), levels)).toBe(levels);
    }
  });

  it('follows from the real places of ids, too', () => {
    const records = Array.from({ length: 70 }, (_one, index) => `id-${index}`).map((id) => ({
      id,
      idHash: placeOf(id),
      sha256: SHA256,
    }));
    expect(levelsFor(records, 0)).toBe(1);
    expect(levelsFor(records.slice(6), 0)).toBe(0);
    expect(levelsFor(records.slice(6), 1)).toBe(1);
  });
});
