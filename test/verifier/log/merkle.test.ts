import {
  consistencyProof,
  emptyRoot,
  inclusionProof,
  isConsistent,
  isSameBytes,
  leafHash,
  nodeHash,
  rangeRoot,
  rootFromInclusion,
  type SubtreeHash,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { flipped } from '../../support/altered.js';
import fc from '../../support/fast-check.js';
import {
  mutationsOf,
  naiveConsistency,
  naiveLeaf,
  naiveNode,
  naivePath,
  naiveRoot,
  someLeaves,
  subtreesOf,
} from '../../support/merkle.js';
import { rounds } from '../../support/soak.js';

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex');
const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'hex'));
const MAX_SIZE = Number.MAX_SAFE_INTEGER;
const RUNS = rounds({ usual: 25, soak: 1000 });

describe('the test vectors of Certificate Transparency', () => {
  const entries = [
    ...['', '00', '10', '2021', '3031', '40414243', '5051525354555657'],
    '606162636465666768696a6b6c6d6e6f',
  ];
  const leaves = entries.map((entry) => leafHash(bytes(entry)));
  const roots = [
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
    'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
    'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
    'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
    '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
    '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
    'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
    '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
  ];
  const headOf = (size: number) => ({ size, root: bytes(roots[size] ?? '') });

  it.each(roots.map((root, size) => [size, root] as const))('the root of %i entries', async (size, root) => {
    expect(hex(await rangeRoot(0, size, subtreesOf(leaves)))).toBe(root);
    expect(hex(naiveRoot(leaves.slice(0, size)))).toBe(root);
  });

  it.each<[number, number, string[]]>([
    [
      ...([5, 8] as const),
      [
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [2, 3, ['fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125']],
  ])('inclusion of entry %i in a tree of %i', async (index, size, path) => {
    const proof = await inclusionProof(index, size, subtreesOf(leaves.slice(0, size)));
    expect(proof.map(hex)).toEqual(path);
    const root = rootFromInclusion({ index, size }, leaves[index] as Uint8Array, proof);
    expect(root).toEqual(headOf(size).root);
  });

  it.each<[number, number, string[]]>([
    [
      ...([6, 8] as const),
      [
        '0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a',
        'ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0',
        'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
      ],
    ],
    [
      ...([2, 5] as const),
      [
        '5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e',
        'bc1a0643b12e4d2d7c77918f44e0f4f79a838b6cf9ec5b5c283e1f4d88599e6b',
      ],
    ],
  ])('consistency of trees of %i and %i', async (older, newer, path) => {
    const proof = await consistencyProof(older, newer, subtreesOf(leaves.slice(0, newer)));
    expect(proof.map(hex)).toEqual(path);
    expect(isConsistent(headOf(older), headOf(newer), proof)).toBe(true);
  });
});

describe('hashes', () => {
  it('of leaves and of nodes differ for the same bytes', () => {
    const [left, right] = someLeaves(2) as [Uint8Array, Uint8Array];
    const both = new Uint8Array([...left, ...right]);
    expect(leafHash(both)).toEqual(naiveLeaf(both));
    expect(nodeHash(left, right)).toEqual(naiveNode(left, right));
    expect(leafHash(both)).not.toEqual(nodeHash(left, right));
    expect(emptyRoot()).toEqual(naiveRoot([]));
  });

  it('are equal only if all bytes are', () => {
    const [hash] = someLeaves(1) as [Uint8Array];
    expect(isSameBytes(hash, Uint8Array.from(hash))).toBe(true);
    for (let bit = 0; bit < 256; bit++) expect(isSameBytes(hash, flipped(hash, bit))).toBe(false);
    expect(isSameBytes(hash, hash.slice(0, 31))).toBe(false);
    expect(isSameBytes(hash.slice(0, 31), hash)).toBe(false);
    expect(isSameBytes(hash, new Uint8Array())).toBe(false);
  });
});

/** Sizes around powers of two, and any others. */
const anySize = (min: number) =>
  fc.oneof(
    fc.integer({ min, max: 300 }),
    fc.constantFrom(1, 2, 3, 4, 7, 8, 9, 127, 128, 129, 255, 256, 257).filter((size) => size >= min),
  );

describe('an inclusion proof', () => {
  it('is that of the recursive definition, and only it leads to the root', async () => {
    const anyPlace = anySize(1).chain((size) =>
      fc.record({ size: fc.constant(size), index: fc.nat(size - 1) }),
    );
    await fc.assert(
      fc.asyncProperty(anyPlace, async ({ index, size }) => {
        const leaves = someLeaves(size);
        const [leaf, root] = [leaves[index] as Uint8Array, naiveRoot(leaves)];
        const path = await inclusionProof(index, size, subtreesOf(leaves));
        expect(path).toEqual(naivePath(index, leaves));
        const leadsToRoot = (place: { index: number; size: number }, from = leaf, by = path) => {
          const found = rootFromInclusion(place, from, by);
          return found !== undefined && isSameBytes(found, root);
        };
        expect(leadsToRoot({ index, size })).toBe(true);
        for (const [name, mutation] of mutationsOf(path)) {
          expect([name, leadsToRoot({ index, size }, leaf, mutation)]).toEqual([name, false]);
        }
        expect(leadsToRoot({ index, size }, flipped(leaf, index % 256))).toBe(false);
        for (const other of [index - 1, index + 1, index + size, -index - 1, size - 1 - index, 0]) {
          if (other !== index) expect([other, leadsToRoot({ index: other, size })]).toEqual([other, false]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('has the length that index and size demand', async () => {
    const count = rounds({ usual: 34, soak: 70 });
    const leaves = someLeaves(count);
    const trees = Array.from({ length: 2 * count }, (_one, size) => someLeaves(size));
    for (let index = 0; index < count; index++) {
      const path = naivePath(index, leaves);
      const found = trees.map((_tree, size) => {
        const root = rootFromInclusion({ index, size }, leaves[index] as Uint8Array, path);
        return root !== undefined;
      });
      const expected = trees.map(
        (tree, size) => size > index && path.length === naivePath(index, tree).length,
      );
      expect(found, `entry ${index}`).toEqual(expected);
    }
  });

  it('proves nothing in an empty tree, nor after the last entry', () => {
    const [leaf] = someLeaves(1) as [Uint8Array];
    expect(rootFromInclusion({ index: 0, size: 0 }, leaf, [])).toBe(undefined);
    expect(rootFromInclusion({ index: 1, size: 1 }, leaf, [])).toBe(undefined);
    expect(rootFromInclusion({ index: 0, size: 1 }, leaf, [])).toEqual(leaf);
    expect(rootFromInclusion({ index: MAX_SIZE, size: MAX_SIZE }, leaf, someLeaves(53))).toBe(undefined);
  });

  it.each([0.5, -1, -0.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'proves nothing for the index %d',
    (index) => {
      const leaves = someLeaves(5);
      for (let length = 0; length < 5; length++) {
        expect(rootFromInclusion({ index, size: 5 }, leaves[0] as Uint8Array, leaves.slice(0, length))).toBe(
          undefined,
        );
      }
    },
  );
});

describe('a consistency proof', () => {
  const anySizes = anySize(1).chain((newer) =>
    fc.record({ newer: fc.constant(newer), older: fc.integer({ min: 1, max: newer }) }),
  );

  it('is that of the recursive definition, and only it shows consistency', async () => {
    await fc.assert(
      fc.asyncProperty(anySizes, async ({ older, newer }) => {
        const leaves = someLeaves(newer);
        const head = (size: number) => ({ size, root: naiveRoot(leaves.slice(0, size)) });
        const proof = await consistencyProof(older, newer, subtreesOf(leaves));
        expect(proof).toEqual(naiveConsistency(older, leaves));
        expect(isConsistent(head(older), head(newer), proof)).toBe(true);
        for (const [name, mutation] of mutationsOf(proof)) {
          expect([name, isConsistent(head(older), head(newer), mutation)]).toEqual([name, false]);
        }
        const other = (size: number) => ({ size, root: flipped(head(size).root, older % 256) });
        expect(isConsistent(other(older), head(newer), proof)).toBe(false);
        expect(isConsistent(head(older), other(newer), proof)).toBe(false);
        if (older === newer) return;
        expect(isConsistent(head(newer), head(older), proof)).toBe(false);
        for (const step of [-1, 1]) {
          const wrong = { ...head(older), size: older + step };
          expect([older, newer, isConsistent(wrong, head(newer), proof)]).toEqual([older, newer, false]);
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('is empty for trees of equal size, whose roots must be equal, and from an empty tree', async () => {
    const [one, other] = someLeaves(2) as [Uint8Array, Uint8Array];
    const empty = { size: 0, root: emptyRoot() };
    expect(isConsistent({ size: 5, root: one }, { size: 5, root: one }, [])).toBe(true);
    expect(isConsistent({ size: 5, root: one }, { size: 5, root: other }, [])).toBe(false);
    expect(isConsistent({ size: 5, root: one }, { size: 5, root: one }, [one])).toBe(false);
    expect(isConsistent(empty, { size: 5, root: one }, [])).toBe(true);
    expect(isConsistent(empty, empty, [])).toBe(true);
    expect(isConsistent(empty, { size: 5, root: one }, [one])).toBe(false);
    expect(isConsistent({ size: 0, root: other }, { size: 5, root: one }, [])).toBe(false);
    expect(isConsistent({ size: 5, root: one }, empty, [])).toBe(false);
    expect(await consistencyProof(0, 5, subtreesOf([]))).toEqual([]);
    expect(await consistencyProof(5, 5, subtreesOf([]))).toEqual([]);
  });

  it('has hashes of 32 bytes: the bytes of an honest node can be cut elsewhere', () => {
    const leaves = someLeaves(4);
    const older = { size: 3, root: naiveRoot(leaves.slice(0, 3)) };
    const newer = { size: 4, root: naiveRoot(leaves) };
    const [third, fourth, left] = naiveConsistency(3, leaves) as [Uint8Array, Uint8Array, Uint8Array];
    expect(isConsistent(older, newer, [third, fourth, left])).toBe(true);
    const [longer, shorter] = [new Uint8Array([...left, ...third.slice(0, 8)]), third.slice(8)];
    expect(naiveNode(longer, shorter)).toEqual(older.root);
    const forged = { size: 4, root: naiveNode(longer, naiveNode(shorter, fourth)) };
    expect(isConsistent(older, forged, [shorter, fourth, longer])).toBe(false);
  });
});

describe('a proof that cannot exist', () => {
  const hash = subtreesOf(someLeaves(9));

  it.each([
    [9, 9],
    [10, 9],
    [0, 0],
    [-1, 9],
    [0.5, 9],
    [Number.NaN, 9],
  ])('inclusion of entry %d in a tree of %d is an error', async (index, size) => {
    await expect(inclusionProof(index, size, hash)).rejects.toThrow(RangeError);
  });

  it.each([
    [10, 9],
    [1, 0],
    [-1, 9],
    [0.5, 9],
    [Number.NaN, 9],
  ])('consistency from %d to %d is an error', async (older, newer) => {
    await expect(consistencyProof(older, newer, hash)).rejects.toThrow(RangeError);
  });
});

describe('the largest trees', () => {
  /** The hash of a complete subtree whose entries are all equal, by level. */
  const uniform: Uint8Array[] = [naiveLeaf(Buffer.from('same'))];
  for (let level = 1; level <= 53; level++) {
    const below = uniform[level - 1] as Uint8Array;
    uniform.push(naiveNode(below, below));
  }
  const subtrees =
    (size: number): SubtreeHash =>
    async (level, index) => {
      const isComplete = Number.isInteger(level) && Number.isInteger(index) && index >= 0;
      if (!isComplete || (index + 1) * 2 ** level > size) throw new Error(`no subtree ${level}/${index}`);
      return uniform[level] as Uint8Array;
    };
  /** The root of a tree of equal entries, from the bits of its size. */
  function uniformRoot(size: number): Uint8Array {
    let root: Uint8Array | undefined;
    for (let level = 0; level <= 53; level++) {
      if ((BigInt(size) >> BigInt(level)) % 2n === 0n) continue;
      const left = uniform[level] as Uint8Array;
      root = root === undefined ? left : naiveNode(left, root);
    }
    return root ?? naiveRoot([]);
  }
  const sizes = [53, 52, 51, 50, 49, 48, 33, 32, 31].flatMap((power) =>
    [-2, -1, 0, 1, 2].map((step) => 2 ** power + step).filter(Number.isSafeInteger),
  );

  it.each(sizes)('have a root: %d entries', async (size) => {
    expect(await rangeRoot(0, size, subtrees(size))).toEqual(uniformRoot(size));
  });

  it('have inclusion and consistency proofs', async () => {
    const anyLarge = fc.oneof(fc.constantFrom(...sizes), fc.integer({ min: 2, max: MAX_SIZE }));
    await fc.assert(
      fc.asyncProperty(anyLarge, fc.double({ min: 0, max: 1, noNaN: true }), async (size, place) => {
        const index = Math.min(size - 1, Math.floor(place * size));
        const root = uniformRoot(size);
        const path = await inclusionProof(index, size, subtrees(size));
        expect(rootFromInclusion({ index, size }, uniform[0] as Uint8Array, path)).toEqual(root);
        const older = { size: index + 1, root: uniformRoot(index + 1) };
        const proof = await consistencyProof(index + 1, size, subtrees(size));
        expect(isConsistent(older, { size, root }, proof)).toBe(true);
        expect(isConsistent({ ...older, size: index }, { size, root }, proof)).toBe(false);
        if (proof.length > 0) expect(isConsistent(older, { size, root }, proof.slice(1))).toBe(false);
      }),
      { numRuns: 2 * RUNS },
    );
  });
});
