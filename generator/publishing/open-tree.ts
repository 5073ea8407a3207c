import type { OutputFolder } from '../files/output-folder.js';
import { type CosignChoice, NO_WITNESSES } from '../log/log-choice.js';
import { type CommittedTree, countingFor, openCommitted } from './committed.js';
import { followUrl, type UrlQuestion } from './follow-url.js';
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
  return followed(await openCommitted(output, log), signer, url);
}

/** Applies the rule about the registry's URL to a tree that is open already. @throws the errors of {@link followUrl} */
export async function followed(
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
