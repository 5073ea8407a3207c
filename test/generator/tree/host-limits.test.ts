import { expect, it } from 'vitest';
import { passedLimits } from '../../../build/generator/tree/host-limits.js';

const MIB = 1024 * 1024;
/** A tree of files with these sizes, which take no memory. */
const treeOf = (sizes: readonly number[]) =>
  new Map(sizes.map((length, index) => [`issuers/${index}`, { length } as Uint8Array]));

it('names the documented host whose limit a tree passes, and the limit', () => {
  expect(passedLimits(treeOf(Array.from({ length: 20_000 }, () => 100)))).toEqual([]);
  expect(passedLimits(treeOf([25 * MIB]))).toEqual([]);
  expect(passedLimits(treeOf(Array.from({ length: 20_001 }, () => 100)))).toEqual([
    'The tree has 20001 files, and Cloudflare Pages (free plan) takes at most 20000: publish it at another host.',
  ]);
  expect(passedLimits(treeOf([25 * MIB + 1]))).toEqual([
    'A file has 26 MiB, and Cloudflare Pages (free plan) takes at most 25 MiB: publish it at another host.',
  ]);
  expect(passedLimits(treeOf(Array.from({ length: 50 }, () => 21 * MIB)))).toEqual([
    'The tree has 1050 MiB, and GitHub Pages takes at most 1000 MiB: publish it at another host.',
  ]);
});
