import type { Checkpoint } from '@passport-registry/verifier/core';
import type { OutputFolder } from '../files/output-folder.js';
import { type PreviousCheckpoint, previousCheckpoint } from '../freshness/previous-checkpoint.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Stage } from './journal.js';

/** A tree that a command may change, and what was committed over it. */
export interface CommittedTree {
  readonly output: OutputFolder;
  /** The tree in the folder; undefined if there is none. */
  readonly published: PublishedTree | undefined;
  /** The committed change that waits for witnesses; undefined if there is none. */
  readonly stage: Stage | undefined;
  /** The tree with the newest committed publication: that of the stage, or else the published one. */
  readonly newest: PublishedTree | undefined;
  /** The checkpoint at the registry's URL, if that shows this tree. Default: it is not known. */
  readonly served?: Checkpoint | undefined;
}

/**
 * Returns the checkpoint that the next one continues. While a stage waits, holds are signed over the published tree, so its checkpoint
 * counts.
 */
export function checkpointBefore({
  published,
  newest,
  served,
}: CommittedTree): PreviousCheckpoint | undefined {
  return previousCheckpoint({ own: (published ?? newest)?.checkpoint, served });
}

/**
 * Returns a tree as it counts for a production key: a tree that a development key signed does not count, unless it is the key that
 * signs.
 */
export function countingFor(
  tree: CommittedTree,
  {
    rootKey,
    development,
  }: { readonly rootKey: PublishedTree['rootKey'] | undefined; readonly development: boolean },
): CommittedTree {
  const counts = (one: PublishedTree | undefined) =>
    one !== undefined && (development || !one.development || one.rootKey.thumbprint === rootKey?.thumbprint)
      ? one
      : undefined;
  return { ...tree, published: counts(tree.published), newest: counts(tree.newest) };
}
