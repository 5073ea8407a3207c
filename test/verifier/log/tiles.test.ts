import {
  bundlePath,
  consistencyProof,
  hashesFromTiles,
  inclusionProof,
  isSameBytes,
  LogTree,
  lastTiles,
  rangeRoot,
  rootFromInclusion,
  TILE_WIDTH,
  type TileAddress,
  tilePath,
  tileWidth,
} from '@passport-registry/verifier/core';
import { describe, expect, it } from 'vitest';
import { flipped } from '../../support/altered.js';
import { naivePath, naiveRoot, someLeaves } from '../../support/merkle.js';
import { tilesOf } from '../../support/tiles.js';

describe('the path of a tile', () => {
  it.each<[TileAddress, string]>([
    // The example of C2SP tlog-tiles.
    [{ level: 0, index: 1234067, width: 256 }, 'tile/0/x001/x234/067'],
    [{ level: 0, index: 0, width: 256 }, 'tile/0/000'],
    [{ level: 0, index: 0, width: 1 }, 'tile/0/000.p/1'],
    [{ level: 1, index: 9, width: 255 }, 'tile/1/009.p/255'],
    [{ level: 2, index: 99, width: 10 }, 'tile/2/099.p/10'],
    [{ level: 0, index: 999, width: 256 }, 'tile/0/999'],
    [{ level: 0, index: 1000, width: 256 }, 'tile/0/x001/000'],
    [{ level: 0, index: 1001, width: 7 }, 'tile/0/x001/001.p/7'],
    [{ level: 0, index: 999999, width: 256 }, 'tile/0/x999/999'],
    [{ level: 0, index: 1000000, width: 256 }, 'tile/0/x001/x000/000'],
    [{ level: 63, index: 1234067, width: 1 }, 'tile/63/x001/x234/067.p/1'],
    [{ level: 0, index: 2 ** 45 - 1, width: 256 }, 'tile/0/x035/x184/x372/x088/831'],
  ])('%j is %s', (address, path) => {
    expect(tilePath(address)).toBe(path);
    expect(bundlePath(address)).toBe(path.replace(/^tile\/\d+/, 'tile/entries'));
  });
});

describe('the tiles of a tree', () => {
  it('follow the formula of C2SP up to the largest size', () => {
    for (const size of [0, 1, 255, 256, 257, 70_000, 2 ** 32 + 300, 2 ** 48 - 1, 2 ** 53 - 1]) {
      for (let level = 0; level < 8; level++) {
        const count = BigInt(size) / 256n ** BigInt(level);
        const last = Number(count / 256n);
        expect([size, level, tileWidth(level, last, size)]).toEqual([size, level, Number(count % 256n)]);
        if (last > 0) expect(tileWidth(level, last - 1, size)).toBe(256);
        expect(tileWidth(level, last + 1, size)).toBe(0);
      }
    }
  });

  it('end with the last tile of each level', () => {
    expect(lastTiles(0)).toEqual([]);
    expect(lastTiles(1)).toEqual([{ level: 0, index: 0, width: 1 }]);
    expect(lastTiles(255)).toEqual([{ level: 0, index: 0, width: 255 }]);
    expect(lastTiles(256)).toEqual([
      { level: 0, index: 0, width: 256 },
      { level: 1, index: 0, width: 1 },
    ]);
    expect(lastTiles(512)).toEqual([
      { level: 0, index: 1, width: 256 },
      { level: 1, index: 0, width: 2 },
    ]);
    expect(lastTiles(70_000)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
    expect(lastTiles(2 ** 53 - 1).map(({ width }) => width)).toEqual([255, 255, 255, 255, 255, 255, 31]);
  });
});

describe.each([1, 2, 3, 255, 256, 257, 511, 512, 513, 700])('a tree of %i entries in tiles', (size) => {
  const leaves = someLeaves(size);
  const tiles = tilesOf(leaves);
  const root = naiveRoot(leaves);
  /** Reads tiles, and notes which. */
  function reader() {
    const paths: string[] = [];
    const hashes = hashesFromTiles(size, async (address) => {
      paths.push(tilePath(address));
      const bytes = tiles.get(tilePath(address));
      if (bytes === undefined) throw new Error(`no tile ${tilePath(address)}`);
      return bytes;
    });
    return { hashes, paths };
  }

  it('has its root', async () => {
    const { hashes, paths } = reader();
    expect(await rangeRoot(0, size, hashes)).toEqual(root);
    expect(paths.toSorted()).toEqual([...new Set(paths)].toSorted());
  });

  it('has the inclusion proof of each entry, and each tile is read once', async () => {
    for (const index of new Set([0, 1, 254, 255, 256, 257, 300, 511, 512, size - 2, size - 1])) {
      if (index < 0 || index >= size) continue;
      const { hashes, paths } = reader();
      const path = await inclusionProof(index, size, hashes);
      expect(path).toEqual(naivePath(index, leaves));
      expect(rootFromInclusion({ index, size }, leaves[index] as Uint8Array, path)).toEqual(root);
      expect(new Set(paths).size).toBe(paths.length);
      expect(paths.length).toBeLessThanOrEqual(3);
    }
  });

  it('is a whole log in memory: its tiles, and the heads that it contains', async () => {
    const tree = new LogTree(leaves);
    expect(new Map(tree.tiles().map(({ address, bytes }) => [tilePath(address), bytes]))).toEqual(tiles);
    expect(tree.tile({ level: 0, index: 0, width: 1 })).toEqual(leaves[0]);
    const last = { level: 0, index: Math.floor(size / 256), width: (size % 256) + 1 };
    expect(tree.tile(last)).toBeUndefined();
    expect(tree.tile({ level: 9, index: 0, width: 1 })).toBeUndefined();
    for (const older of new Set([1, Math.ceil(size / 2), size])) {
      const head = { size: older, root: naiveRoot(leaves.slice(0, older)) };
      expect([await tree.contains(head), await tree.isOf(head)]).toEqual([true, older === size]);
      expect(await tree.contains({ size: older, root: flipped(head.root, 9) })).toBe(false);
    }
    expect(await tree.contains({ size: size + 1, root })).toBe(false);
  });

  it('is read from full tiles where a partial one is gone', async () => {
    const more = tilesOf(someLeaves(Math.ceil(size / 256) * 256));
    const hashes = hashesFromTiles(size, async (address) => {
      const full = more.get(tilePath({ ...address, width: TILE_WIDTH }));
      return full ?? (tiles.get(tilePath(address)) as Uint8Array);
    });
    expect(isSameBytes(await rangeRoot(0, size, hashes), root)).toBe(true);
  });

  it('has no root if a tile is too short', async () => {
    const hashes = hashesFromTiles(size, async () => new Uint8Array());
    await expect(rangeRoot(0, size, hashes)).rejects.toThrow(RangeError);
  });
});

it('a log in memory without entries has no tiles, and contains only itself', async () => {
  const tree = new LogTree([]);
  expect([tree.size, tree.leaves, tree.tiles()]).toEqual([0, [], []]);
  expect(await tree.isOf({ size: 0, root: naiveRoot([]) })).toBe(true);
  expect(await tree.contains({ size: 1, root: naiveRoot([]) })).toBe(false);
});

describe('a proof from the tiles of a very large log', () => {
  it('reads few tiles', async () => {
    let reads = 0;
    const size = 2 ** 53 - 1;
    const hashes = hashesFromTiles(size, async ({ width }) => {
      reads += 1;
      return new Uint8Array(width * 32);
    });
    expect(await inclusionProof(2 ** 52 + 12345, size, hashes)).toHaveLength(53);
    expect(reads).toBeLessThanOrEqual(14);
    reads = 0;
    await consistencyProof(2 ** 52 + 12345, size, hashes);
    expect(reads).toBeLessThanOrEqual(14);
  });
});
