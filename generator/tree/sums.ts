import { levelsFor, type SummedRecord, type SumsTree, sumsTree } from '@passport-registry/verifier/core';
import type { ListBytes } from '../list/list.js';
import { sha256 } from './checksums.js';

/**
 * Returns the tree of sums of a list (rule tree-of-sums).
 *
 * @param previousLevels - the number of levels of the published tree; 0 if there is none
 */
export function sumsOfList({ records }: Pick<ListBytes, 'records'>, previousLevels: number): SumsTree {
  const summed = [...records].map(([id, bytes]) => summedRecord(id, sha256(bytes)));
  return sumsTree(summed, levelsFor(summed, previousLevels), sha256);
}

/** @param hash - SHA-256 of the record, in lower-case hexadecimal */
export function summedRecord(id: string, hash: string): SummedRecord {
  return { id, place: sha256(id), sha256: hash };
}
