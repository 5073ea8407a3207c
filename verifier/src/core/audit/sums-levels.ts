import { MAX_LEVELS, recordPath, sumsLine } from '../sums/sums-file.js';
import type { SummedRecord } from '../sums/sums-tree.js';

/**
 * The largest average number of records in a leaf. Above it, the tree of sums gets one more level (rule sums-levels).
 */
const MAX_AVERAGE = 64;
/** A tree of sums loses a level if its leaves would still have at most this many records on average. */
const MIN_AVERAGE = 16;
/** The largest leaf in bytes. Above it, the tree of sums gets one more level. */
const MAX_LEAF_BYTES = 64 * 1024;

/** What decides the number of levels. */
interface LeafSizes {
  /** The number of records. */
  readonly records: number;
  /** Returns the size of the largest leaf in bytes, in a tree with this number of levels. */
  readonly largestLeaf: (levels: number) => number;
}

/**
 * Returns the number of levels that the records of a publication need. Between the two limits, the number stays as it was,
 * so that one record more or less does not move all others.
 *
 * @param previous - the number of levels of the published tree; 0 for a first publication
 */
export function levelsFor(records: readonly SummedRecord[], previous: number): number {
  const sizes = leafSizes(records);
  let levels = previous;
  while (mustGrow(sizes, levels)) levels++;
  while (mustShrink(sizes, levels)) levels--;
  return levels;
}

/** Returns whether the records of a publication may have a tree of sums with this number of levels. */
export function mayHaveLevels(records: readonly SummedRecord[], levels: number): boolean {
  const sizes = leafSizes(records);
  return !mustGrow(sizes, levels) && !mustShrink(sizes, levels);
}

function mustGrow(sizes: LeafSizes, levels: number): boolean {
  return levels < MAX_LEVELS && isTooFull(sizes, levels);
}

function mustShrink(sizes: LeafSizes, levels: number): boolean {
  if (levels === 0 || sizes.records / 16 ** (levels - 1) > MIN_AVERAGE) return false;
  return !isTooFull(sizes, levels - 1);
}

function isTooFull({ records, largestLeaf }: LeafSizes, levels: number): boolean {
  return records / 16 ** levels > MAX_AVERAGE || largestLeaf(levels) > MAX_LEAF_BYTES;
}

function leafSizes(records: readonly SummedRecord[]): LeafSizes {
  return {
    records: records.length,
    largestLeaf: (levels) => {
      const sizes = new Map<string, number>();
      let largest = 0;
      for (const { id, place, sha256 } of records) {
        const prefix = place.slice(0, levels);
        const size = (sizes.get(prefix) ?? 0) + sumsLine(recordPath(id), sha256).length;
        sizes.set(prefix, size);
        if (size > largest) largest = size;
      }
      return largest;
    },
  };
}
