import type { Checkpoint } from '@passport-registry/verifier/core';
import type { OutputFolder } from '../files/output-folder.js';
import { readIfReadable } from '../files/read-file.js';
import { type PreviousCheckpoint, previousCheckpoint } from '../freshness/previous-checkpoint.js';
import type { CosignChoice } from '../log/log-choice.js';
import type { ReadFileSync } from '../log/log-files.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { readPublished } from '../verification/read-published.js';
import { apply, isBegun, readerOver, readStage, type Stage } from './journal.js';
import { countCosigners, readProof } from './prove-logged.js';

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
 * Opens a tree for writing. First completes a committed stage that has its quorum or needs none, and drops what was not committed.
 *
 * @param witnesses - those whose quorum a stage needs
 * @throws {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function openCommitted(output: OutputFolder, witnesses: CosignChoice): Promise<CommittedTree> {
  const { named } = output;
  const stage = readStage(output);
  if (stage !== undefined) {
    if (!isBegun(output, stage)) {
      const published = await readPublished(named);
      const newest = await readPublished(named, readerOver(output, stage));
      const isComplete = await hasQuorum(newest, witnesses);
      if (!isComplete || losesHold(published, newest)) return { output, published, stage, newest };
    }
    await apply(output, stage);
  }
  const published = await readPublished(named);
  return { output, published, stage: undefined, newest: published };
}

/** Whether a staged tree has its quorum of witnesses, or needs none. */
async function hasQuorum(staged: PublishedTree | undefined, witnesses: CosignChoice): Promise<boolean> {
  const proof = readProof(staged?.statements.logProof);
  return proof === undefined || (await countCosigners(proof.head, witnesses)) >= witnesses.quorum;
}

/** Whether an issuer was held while a stage waited. The stage then needs a new checkpoint before it is applied. */
function losesHold(published: PublishedTree | undefined, staged: PublishedTree | undefined): boolean {
  const held = published?.checkpoint.hold ?? [];
  return held.some((id) => staged?.checkpoint.hold.includes(id) !== true);
}

/** Reads the file of a folder, or of the stage that lies over it. */
export function readerOf({ output, stage }: CommittedTree): ReadFileSync {
  return stage === undefined ? (path) => readIfReadable(output.out, path) : readerOver(output, stage);
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
