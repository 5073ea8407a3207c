import { leafHash, levelBelow, nodeHash } from '../log/merkle.js';
import type { LogProof } from '../log/tlog-proof.js';

/** A complete subtree. */
export interface Subtree {
  /** The number of its entries: a power of two. */
  readonly count: number;
  readonly root: Uint8Array;
}

/**
 * Returns the root of a tree from what is before an index, and all its entries from there. If the result is the root of a
 * head, the tree of the head has exactly these entries there.
 *
 * @param before - the complete subtrees before the index, largest first
 * @param entries - the entries from the index to the end of the tree
 */
export function rootWithTail(before: readonly Subtree[], entries: readonly Uint8Array[]): Uint8Array {
  const subtrees = [...before];
  for (const entry of entries) {
    let subtree: Subtree = { count: 1, root: leafHash(entry) };
    while (subtrees.at(-1)?.count === subtree.count) {
      const left = subtrees.pop() as Subtree;
      subtree = { count: 2 * left.count, root: nodeHash(left.root, subtree.root) };
    }
    subtrees.push(subtree);
  }
  return subtrees.map(({ root }) => root).reduceRight((right, left) => nodeHash(left, right));
}

/**
 * Returns the complete subtrees that make up a tree before an index, largest first: the left sides of the inclusion proof of
 * the entry at the index. They are the same in every later tree of the log.
 *
 * @param proof - a valid proof
 */
export function subtreesBefore({ index, path, head }: LogProof): Subtree[] {
  const found: Subtree[] = [];
  let [start, end] = [0, head.size];
  for (const root of [...path].reverse()) {
    const count = 2 ** levelBelow(end - start);
    if (index < start + count) {
      end = start + count;
    } else {
      found.push({ count, root });
      start += count;
    }
  }
  return found;
}
