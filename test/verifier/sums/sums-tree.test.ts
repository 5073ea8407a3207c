import {
  idHashOf,
  prefixesTo,
  readSums,
  recordPath,
  sumsPath,
  sumsTree,
} from '@passport-registry/verifier/internal';
import { describe, expect, it } from 'vitest';
import fc from '../../support/fast-check.js';
import { sha256 } from '../../support/publication.js';
import { naiveSums, placeOf } from '../../support/sums.js';

const id = fc.stringMatching(/^[a-z0-9](?:[a-z0-9_-]{0,30}[a-z0-9])?$/).filter((one) => one !== 'index');
const registries = fc.dictionary(id, fc.nat(), { maxKeys: 60 });

function treeOf(hashes: ReadonlyMap<string, string>, levels: number) {
  const records = [...hashes]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([one, hash]) => ({ id: one, idHash: idHashOf(one), sha256: hash }));
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
      for (const prefix of prefixesTo(idHashOf(wanted), levels)) {
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
    expect(idHashOf('alpha')).toBe(placeOf('alpha'));
    expect(prefixesTo('3fa9', 0)).toEqual(['']);
    expect(prefixesTo('3fa9', 3)).toEqual(['', '3', '3f', '3fa']);
    expect([sumsPath(''), sumsPath('3fa'), recordPath('a.b')]).toEqual([
      'sums/root',
      'sums/3fa',
      'issuers/a.b',
    ]);
  });
});
