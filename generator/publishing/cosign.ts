import { UsageError } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import type { CheckpointChoice } from '../freshness/checkpoint.js';
import { listBytes, recordsBytes } from '../list/list.js';
import type { CosignChoice } from '../log/log-choice.js';
import { damagedLog } from '../log/log-files.js';
import { recordsOfList } from '../records/check-records.js';
import type { PendingPublication } from '../tree/pending-publication.js';
import { type PublishedTree, withPending } from '../tree/published-tree.js';
import type { UrlQuestion } from './follow-url.js';
import { renewProof } from './log-publication.js';
import type { TreeOptions } from './publication.js';
import { publish } from './publish.js';
import type { BuildReport } from './report.js';

/** How to collect cosignatures for a published tree. */
interface CosignOptions extends TreeOptions {
  readonly log: CosignChoice;
  /** Signs the checkpoint of the publication that is completed. */
  readonly checkpoint?: CheckpointChoice | undefined;
  readonly url?: UrlQuestion | undefined;
}

/**
 * Collects new cosignatures of witnesses for the head of the published log (rule log-witnesses). If the newest
 * publication in the log has not been completed, completes it. The root key and the key of the log are not needed.
 *
 * @param served - the tree in the output folder; undefined if there is none
 * @returns what the witnesses did, and the publication that was completed: undefined if the tree had none to complete
 * @throws {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function cosign(
  served: PublishedTree | undefined,
  output: OutputFolder,
  options: CosignOptions,
) {
  if (served?.pending === undefined) {
    return { log: await renewProof(served, options.log, output), completed: undefined };
  }
  const completed = await complete(served, served.pending, { options, output });
  if (completed.log === undefined) throw damagedLog('is missing');
  return { log: completed.log, completed };
}

/** Publishes what is in the log, as if it had been signed elsewhere. */
function complete(
  served: PublishedTree,
  { signature, statement, about, rootKey, rotation }: PendingPublication,
  { options, output }: { readonly options: CosignOptions; readonly output: OutputFolder },
): Promise<BuildReport> {
  const { log, checkpoint, ...tree } = options;
  if (about === undefined) {
    throw new UsageError(
      `${output.out} has lost the names and reasons of a publication that is only in its log: run its build again, which completes it`,
    );
  }
  const issuers = withPending(served).issuers();
  const signer = {
    rootKey,
    development: served.development,
    signature,
    statement: statement.text,
    follows: undefined,
    list: listBytes(recordsBytes(issuers), statement.updatedAt),
  };
  const freshness = { rotation, checkpoint };
  // The next build, which knows the settings, removes older lists.
  const kept = { ...log, keepBytes: Number.POSITIVE_INFINITY };
  // The build that logged the publication has applied this rule.
  const exceptions = { allowExampleNames: true };
  return publish(
    { ...tree, records: { ...recordsOfList(issuers), about }, signer, exceptions, freshness, log: kept },
    output,
  );
}
