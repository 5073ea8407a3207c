import { isCount } from '../bytes/checks.js';
import { concat } from '../bytes/encodings.js';
import { hashBytes } from '../bytes/sha256-sync.js';

/*
 * Merkle trees of RFC 6962, section 2.1, with SHA-256 (rule log-bytes). Sizes and indexes are at most 2^53 - 1, so halving is
 * a division: bitwise operators would cut them to 32 bits.
 */

/** Returns the hash of a leaf. */
export function leafHash(entry: Uint8Array): Uint8Array {
  return hashWithPrefix(0x00, entry);
}

/** Returns the hash of an inner node. */
export function nodeHash(left: Uint8Array, right: Uint8Array): Uint8Array {
  return hashWithPrefix(0x01, left, right);
}

/** Returns the root of the tree without entries. */
export function emptyRoot(): Uint8Array {
  return hashBytes(new Uint8Array());
}

function hashWithPrefix(prefix: number, ...parts: readonly Uint8Array[]): Uint8Array {
  return hashBytes(concat([Uint8Array.of(prefix), ...parts]));
}

/** Returns whether a proof has only hashes. Others could be joined to the bytes of an honest node. */
export const areHashes = (proof: readonly Uint8Array[]) => proof.every(({ length }) => length === 32);

/**
 * Returns the root that an inclusion proof leads to (RFC 9162, section 2.1.3.2). Undefined if there is no such index, or if
 * the proof does not have the length that index and size demand.
 */
export function rootFromInclusion(
  { index, size }: { readonly index: number; readonly size: number },
  leaf: Uint8Array,
  path: readonly Uint8Array[],
): Uint8Array | undefined {
  if (!isCount(index) || index >= size || !areHashes(path)) return undefined;
  let node = index;
  let last = size - 1;
  let root = leaf;
  for (const hash of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = nodeHash(hash, root);
      while (node % 2 === 0 && node !== 0) {
        node /= 2;
        last = Math.floor(last / 2);
      }
    } else {
      root = nodeHash(root, hash);
    }
    node = Math.floor(node / 2);
    last = Math.floor(last / 2);
  }
  return last === 0 ? root : undefined;
}

/** A tree by its size and its root. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/** Returns the hash of a complete subtree: of 2^`level` entries, from entry `index` * 2^`level`. */
export type SubtreeHash = (level: number, index: number) => Promise<Uint8Array>;

/** Returns the root of the entries from `start` to before `end`. `start` must be where a subtree of their number can begin. */
export async function rangeRoot(start: number, end: number, hash: SubtreeHash): Promise<Uint8Array> {
  if (start === end) return emptyRoot();
  const count = end - start;
  if (count === 1) return hash(0, start);
  const level = levelBelow(count);
  if (count === 2 ** (level + 1)) return hash(level + 1, start / count);
  const split = start + 2 ** level;
  const [left, right] = await Promise.all([rangeRoot(start, split, hash), rangeRoot(split, end, hash)]);
  return nodeHash(left, right);
}

/**
 * Returns the root of the first entries of a range, and the root of the range, from the same hashes of subtrees. If both
 * roots are those of signed heads, the hashes are a consistency proof: the newer log begins with the older one.
 *
 * @param older - the number of the entry after the first entries
 */
export async function consistentRoots(
  older: number,
  [start, end]: readonly [number, number],
  hash: SubtreeHash,
): Promise<readonly [Uint8Array, Uint8Array]> {
  if (older === start || older === end) {
    const root = await rangeRoot(start, end, hash);
    return [older === end ? root : emptyRoot(), root];
  }
  const split = start + 2 ** levelBelow(end - start);
  const isLeft = older <= split;
  const [[before, after], other] = await Promise.all([
    consistentRoots(older, isLeft ? [start, split] : [split, end], hash),
    isLeft ? rangeRoot(split, end, hash) : rangeRoot(start, split, hash),
  ]);
  return isLeft ? [before, nodeHash(after, other)] : [nodeHash(other, before), nodeHash(other, after)];
}

/**
 * Returns the level of the largest complete subtree with fewer than `count` entries. `count` is at least 2. Math.log2 is
 * not exact: it returns the same for 2^49 and 2^49 + 1.
 */
export function levelBelow(count: number): number {
  let level = 0;
  while (2 ** (level + 1) < count) level++;
  return level;
}
