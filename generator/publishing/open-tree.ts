import type { Checkpoint } from '@passport-registry/verifier/core';
import type { OutputFolder } from '../files/output-folder.js';
import { releasedBy } from '../freshness/previous-checkpoint.js';
import { type CosignChoice, NO_WITNESSES } from '../log/log-choice.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { readPublished } from '../verification/read-published.js';
import { type CommittedTree, countingFor } from './committed.js';
import { followUrl, type UrlQuestion } from './follow-url.js';
import { apply, isBegun, readerOver, recoverStage } from './journal.js';
import { countCosigners, readProof } from './prove-logged.js';
import type { RootSigner } from './request.js';

/** How a tree is opened. */
interface Opening {
  /** The witnesses whose quorum a stage needs. Default: none. */
  readonly log?: CosignChoice | undefined;
  /** How to ask the registry's URL. Default: nothing is asked. */
  readonly url?: UrlQuestion | undefined;
}

/** A tree over which a key may sign. */
export interface OpenTree {
  readonly tree: CommittedTree;
  /** What the operator should know, in whole sentences. */
  readonly notes: readonly string[];
}

/**
 * Opens a tree for writing. First completes a committed stage that has its quorum or needs none, and drops what was not committed.
 *
 * @param witnesses - those whose quorum a stage needs
 * @throws {@link TreeRejected} | {@link UsageError} | {@link IoFailed}
 */
export async function openCommitted(output: OutputFolder, witnesses: CosignChoice): Promise<CommittedTree> {
  const { named } = output;
  const stage = recoverStage(output);
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
  return releasedBy(staged?.checkpoint, published?.checkpoint).length > 0;
}

/**
 * Opens a tree before a key signs: completes what was committed, and applies the rule about the registry's URL. Every command that
 * signs begins so. A development key asks no host.
 *
 * @throws the errors of {@link openCommitted} and {@link followUrl}
 */
export async function openTree(
  output: OutputFolder,
  signer: RootSigner,
  { log = NO_WITNESSES, url }: Opening,
): Promise<OpenTree> {
  return askUrl(await openCommitted(output, log), signer, url);
}

/** Applies the rule about the registry's URL to a tree that is open already. @throws the errors of {@link followUrl} */
export async function askUrl(
  found: CommittedTree,
  signer: RootSigner,
  url: UrlQuestion | undefined,
): Promise<OpenTree> {
  if (signer.development) return { tree: found, notes: [] };
  const { rootKey } = signer;
  const { newest: published } = countingFor(found, signer);
  const { checkpoint, note } = await followUrl({ rootKey, published }, url);
  return { tree: { ...found, served: checkpoint }, notes: note === undefined ? [] : [note] };
}

/**
 * Asks the registry's URL once more before a stage is applied, because others may publish a hold while witnesses are asked. Returns
 * whom a newer checkpoint at the URL holds, and the staged one does not: the stage then waits for a new checkpoint.
 *
 * @throws the errors of {@link followUrl}
 */
export async function heldMeanwhile(
  staged: Checkpoint | undefined,
  found: CommittedTree,
  { signer, url }: { readonly signer: RootSigner; readonly url: UrlQuestion | undefined },
): Promise<readonly string[]> {
  const { served } = (await askUrl(found, signer, url)).tree;
  if (served === undefined || staged === undefined || served.issuedAt < staged.issuedAt) return [];
  return releasedBy(staged, served);
}
