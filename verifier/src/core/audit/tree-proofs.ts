import { isCount } from '../bytes/checks.js';
import { isSameBytes } from '../bytes/encodings.js';
import {
  areHashes,
  emptyRoot,
  levelBelow,
  nodeHash,
  rangeRoot,
  type SubtreeHash,
  type TreeHead,
} from '../log/merkle.js';

/**
 * Returns the inclusion proof of an entry in a tree (RFC 6962, section 2.1.1; rule log-bytes).
 *
 * @throws RangeError if the tree has no such entry
 */
export async function inclusionProof(index: number, size: number, hash: SubtreeHash): Promise<Uint8Array[]> {
  if (!isCount(index) || index >= size)
    throw new RangeError(`a tree of ${size} entries has no entry ${index}`);
  const path: Promise<Uint8Array>[] = [];
  let start = 0;
  let end = size;
  while (end - start > 1) {
    const split = start + 2 ** levelBelow(end - start);
    if (index < split) {
      path.push(rangeRoot(split, end, hash));
      end = split;
    } else {
      path.push(rangeRoot(start, split, hash));
      start = split;
    }
  }
  return Promise.all(path.reverse());
}

/**
 * Returns the consistency proof between two sizes of a tree (RFC 6962, section 2.1.2). It is empty from size 0.
 *
 * @throws RangeError if the older size is larger
 */
export async function consistencyProof(
  older: number,
  newer: number,
  hash: SubtreeHash,
): Promise<Uint8Array[]> {
  if (!isCount(older) || older > newer)
    throw new RangeError(`no tree of ${newer} entries begins with ${older}`);
  if (older === 0 || older === newer) return [];
  const path: Promise<Uint8Array>[] = [];
  let start = 0;
  let end = newer;
  while (older !== end) {
    const split = start + 2 ** levelBelow(end - start);
    if (older <= split) {
      path.push(rangeRoot(split, end, hash));
      end = split;
    } else {
      path.push(rangeRoot(start, split, hash));
      start = split;
    }
  }
  if (start > 0) path.push(rangeRoot(start, end, hash));
  return Promise.all(path.reverse());
}

/** Returns whether a consistency proof shows that a tree begins with an older tree (RFC 9162, section 2.1.4.2). */
export function isConsistent(older: TreeHead, newer: TreeHead, proof: readonly Uint8Array[]): boolean {
  if (older.size > newer.size || !areHashes(proof)) return false;
  if (older.size === newer.size) return proof.length === 0 && isSameBytes(older.root, newer.root);
  if (older.size === 0) return proof.length === 0 && isSameBytes(older.root, emptyRoot());
  let node = older.size - 1;
  let last = newer.size - 1;
  while (node % 2 === 1) {
    node = (node - 1) / 2;
    last = Math.floor(last / 2);
  }
  // If the older tree is complete, its root is the first hash of the proof, which the proof leaves out.
  const hashes = node === 0 ? [older.root, ...proof] : proof;
  const [first, ...rest] = hashes;
  if (first === undefined) return false;
  let before = first;
  let after = first;
  for (const hash of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      before = nodeHash(hash, before);
      after = nodeHash(hash, after);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      after = nodeHash(after, hash);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 && isSameBytes(before, older.root) && isSameBytes(after, newer.root);
}
