import { hash } from 'node:crypto';
import type { SubtreeHash } from '@passport-registry/verifier/core';
import { flipped } from './altered.js';

/*
 * The Merkle tree of RFC 6962, section 2.1, written recursively as the RFC describes it, and not as the verifier computes
 * it. Hashes come from Node.js.
 */

const hashOf = (...parts: readonly Uint8Array[]) =>
  new Uint8Array(hash('sha256', Buffer.concat(parts), 'buffer'));

export const naiveLeaf = (entry: Uint8Array) => hashOf(Uint8Array.of(0), entry);
export const naiveNode = (left: Uint8Array, right: Uint8Array) => hashOf(Uint8Array.of(1), left, right);

/** Returns the largest power of two smaller than `count`. */
function splitOf(count: number): number {
  let split = 1;
  while (split * 2 < count) split *= 2;
  return split;
}

/** MTH(D[n]), from the hashes of the leaves. */
export function naiveRoot(leaves: readonly Uint8Array[]): Uint8Array {
  const [only] = leaves;
  if (only === undefined) return hashOf();
  if (leaves.length === 1) return only;
  const split = splitOf(leaves.length);
  return naiveNode(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

/** PATH(m, D[n]). */
export function naivePath(index: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  if (leaves.length === 1) return [];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - split, right), naiveRoot(left)];
}

/** PROOF(m, D[n]). */
export function naiveConsistency(older: number, leaves: readonly Uint8Array[]): Uint8Array[] {
  return subproof(older, leaves, true);
}

function subproof(older: number, leaves: readonly Uint8Array[], isComplete: boolean): Uint8Array[] {
  if (older === leaves.length) return isComplete ? [] : [naiveRoot(leaves)];
  const split = splitOf(leaves.length);
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return older <= split
    ? [...subproof(older, left, isComplete), naiveRoot(right)]
    : [...subproof(older - split, right, false), naiveRoot(left)];
}

/** Returns the hashes of complete subtrees. Fails for a subtree that is not complete. */
export function subtreesOf(leaves: readonly Uint8Array[]): SubtreeHash {
  return async (level, index) => {
    const [count, from] = [2 ** level, index * 2 ** level];
    if (!Number.isInteger(from) || from + count > leaves.length) throw new Error('no complete subtree');
    return naiveRoot(leaves.slice(from, from + count));
  };
}

/** Returns the hashes of some leaves that all differ. */
export function someLeaves(count: number, seed = 'leaf'): Uint8Array[] {
  return Array.from({ length: count }, (_one, index) => naiveLeaf(Buffer.from(`${seed} ${index}`)));
}

/** Returns every proof that differs from a proof in one step, with a name: a bit, a hash less, more, or swapped. */
export function mutationsOf(proof: readonly Uint8Array[]): [string, Uint8Array[]][] {
  const extra = naiveLeaf(Buffer.from('extra'));
  const positions = [...proof.keys()];
  return [
    ...positions.map((at): [string, Uint8Array[]] => [
      `bit of hash ${at}`,
      proof.map((hash, index) => (index === at ? flipped(hash, (at * 37) % 256) : hash)),
    ]),
    ...positions.map((at): [string, Uint8Array[]] => [`without hash ${at}`, proof.toSpliced(at, 1)]),
    ...[...positions, proof.length].flatMap((at): [string, Uint8Array[]][] => [
      [`a hash more at ${at}`, proof.toSpliced(at, 0, extra)],
      [`hash ${at} twice`, proof.toSpliced(at, 0, proof[at] ?? proof.at(-1) ?? extra)],
    ]),
    ...positions.slice(1).map((at): [string, Uint8Array[]] => {
      const [one, next] = [proof[at - 1] as Uint8Array, proof[at] as Uint8Array];
      return [`hashes ${at - 1} and ${at} swapped`, proof.toSpliced(at - 1, 2, next, one)];
    }),
    ...positions.flatMap((at): [string, Uint8Array[]][] => [
      [`hash ${at} cut`, proof.map((hash, index) => (index === at ? hash.slice(0, 31) : hash))],
      [`hash ${at} empty`, proof.map((hash, index) => (index === at ? new Uint8Array() : hash))],
    ]),
  ];
}
