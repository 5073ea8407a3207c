import { leafHash, levelBelow, nodeHash } from '../log/merkle.js';
import type { LogProof } from '../log/tlog-proof.js';

/** A complete subtree. */
interface Subtree {
  /** The number of its entries: a power of two. */
  readonly count: number;
  readonly root: Uint8Array;
}

/**
 * Returns the root of a tree from all its entries after an index, and the inclusion proof of the entry at the index. If
 * the result is the root of the tree, the tree has exactly these entries there.
 *
 * @param proof - a proof that is valid for the first of the entries
 * @param entries - the entries from the index to the end of the tree
 */
export function rootWithTail(
  proof: Pick<LogProof, 'index' | 'path'>,
  entries: readonly Uint8Array[],
): Uint8Array {
  const subtrees = subtreesBefore(proof, entries.length);
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

/** Returns the complete subtrees that make up the tree before the index, largest first: the left sides of the path. */
function subtreesBefore({ index, path }: Pick<LogProof, 'index' | 'path'>, tail: number): Subtree[] {
  const found: Subtree[] = [];
  let [start, end] = [0, index + tail];
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
