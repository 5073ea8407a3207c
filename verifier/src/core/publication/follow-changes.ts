import { forEachConcurrent } from '../bytes/for-each-concurrent.js';
import { RegistryError } from '../errors.js';
import type { Issuer } from '../generated/schemas.js';
import type { RecordChanges } from '../list/list-index.js';
import { readRecord } from '../list/record.js';
import type { PublicationStatement } from '../statements/publication-statement.js';
import type { HeldTree, TreeChange } from '../sums/held-tree.js';
import { recordIdOf } from '../sums/sums-place.js';
import { type RegistryFiles, readHashedFile } from './registry-files.js';
import { MAX_REQUESTS, REQUEST_BYTES, readTreeDifference } from './tree-difference.js';

/** What turns a held list into a newer one. Nothing in it has been applied. */
export interface ListChange {
  readonly records: RecordChanges;
  /** The tree of sums of the held list, with the number of levels of the newer one. */
  readonly tree: HeldTree;
  readonly treeChange: TreeChange;
}

/** The records of a list that was accepted before, which a newer list can reuse. */
export interface HeldRecords {
  /** All records, sorted by id. */
  readonly issuers: readonly Issuer[];
  /** Returns the number of records after some changes. */
  countAfter(changes: RecordChanges): number;
  /** Returns all records as they are after some changes, sorted by id. */
  issuersAfter(changes: RecordChanges): readonly Issuer[];
  /** Returns the tree of sums of the records, with a number of levels. Undefined if that takes too long. */
  tree(levels: number): Promise<HeldTree | undefined>;
}

/** A client downloads the whole list if the changes would take more than this share of the list. */
const MAX_SHARE = 1 / 4;

/**
 * Reads what turns the held list into the list of a publication statement: the sums files and the records that differ,
 * however old the held list is (rule sums-updates). Everything is verified, and nothing is applied.
 *
 * The held tree of sums is computed from the held records. The files of the change have the hashes that the statement
 * names. So a list to which the change has been applied has the tree of sums of the statement.
 *
 * @returns undefined if the whole list is to be downloaded instead
 * @throws {@link RegistryError} if the source lacks a file, or has one that does not belong to its publication
 */
export async function followChanges(
  files: RegistryFiles,
  held: HeldRecords,
  statement: PublicationStatement,
): Promise<ListChange | undefined> {
  const tree = await held.tree(statement.levels);
  if (tree === undefined) return undefined;
  const maxBytes = statement.size * MAX_SHARE;
  const difference = await readTreeDifference(files, { tree, named: statement, maxBytes });
  if (difference === undefined) return undefined;
  const { treeChange, changed, removed, downloaded } = difference;
  const recordSize = statement.size / Math.max(statement.issuers, 1) + REQUEST_BYTES;
  if (downloaded + changed.size * recordSize > maxBytes) return undefined;
  const records = new Map<string, Issuer | undefined>(removed.map((path) => [recordIdOf(path), undefined]));
  await forEachConcurrent([...changed], MAX_REQUESTS, async ([path, sha256]) => {
    const id = recordIdOf(path);
    records.set(id, readRecord(await readHashedFile(files, path, sha256), id));
  });
  const count = held.countAfter(records);
  if (count !== statement.issuers) {
    throw new RegistryError(
      'ERR_PUBLICATION_MISMATCH',
      `the publication statement names a list of ${statement.issuers} issuers, but its tree of sums has ${count}`,
    );
  }
  return { records, tree, treeChange };
}
