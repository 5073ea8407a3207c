import type { Issuer } from '../generated/schemas.js';
import type { RecordChanges } from '../list/list-index.js';
import type { HeldTree, TreeChange } from '../sums/held-tree.js';

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
