import { UsageError } from '../errors.js';
import { type OutputFolder, withOutputFolder } from '../files/output-folder.js';
import { readIfThere } from '../files/read-file.js';
import type { CheckpointChoice } from '../freshness/statements.js';
import { listBytes, recordsBytes } from '../list/list.js';
import { collectCosignatures } from '../log/collect.js';
import type { CosignChoice, LogChoice } from '../log/log-choice.js';
import { damagedLog, readLogHead } from '../log/log-files.js';
import { entriesSince } from '../log/log-tail.js';
import { recordsOfList } from '../records/check-records.js';
import { sha256 } from '../tree/checksums.js';
import type { PendingPublication } from '../tree/pending-publication.js';
import { type PublishedTree, readPublished, withPending } from '../tree/published-tree.js';
import { type LogReport, logReport } from './log-publication.js';
import { proveLogged } from './prove-logged.js';
import type { TreeOptions } from './publication.js';
import { publish } from './publish.js';
import type { BuildReport } from './report.js';
import { addFiles } from './write.js';

/** How to collect cosignatures for a published tree. */
export interface CosignOptions extends TreeOptions {
  readonly log: LogChoice;
  /** Signs a checkpoint with the publication that is completed. Default: the published checkpoint stays. */
  readonly checkpoint?: CheckpointChoice | undefined;
}

/** The result of collecting cosignatures. */
export interface CosignReport {
  readonly log: LogReport;
  /** The publication that was completed; undefined if the tree had none to complete. */
  readonly completed: BuildReport | undefined;
}

/**
 * Collects new cosignatures of witnesses for the head of the published log (SPEC C7). If the newest publication in the
 * log has not been completed, completes it. The root key and the key of the log are not needed.
 *
 * @throws {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export function cosign(folder: string, options: CosignOptions): Promise<CosignReport> {
  return withOutputFolder(folder, async (place) => {
    const served = await readPublished(place.out);
    if (served?.pending === undefined) {
      return { log: await cosignAgain(served, options.log, place), completed: undefined };
    }
    const completed = await complete(served, served.pending, { options, place });
    if (completed.log === undefined) throw damagedLog('is missing');
    return { log: completed.log, completed };
  });
}

/** Collects cosignatures of a head that is published already. Expects the folder to be locked. */
export async function cosignAgain(
  published: PublishedTree | undefined,
  choice: CosignChoice,
  place: OutputFolder,
): Promise<LogReport> {
  const { out } = place;
  const read = (path: string) => readIfThere(out, path);
  const head = readLogHead(read);
  const text = published?.statement?.text;
  if (head === undefined || text === undefined) {
    throw new UsageError(`${out} has no log: a log begins with a build that has --log-key and --log-origin`);
  }
  const index = entriesSince(read, head.size, sha256(text)).at(-1)?.index ?? 0;
  const collected = await collectCosignatures(head, choice, read);
  const request = { folder: out, statement: text, cosignatures: collected.signatures, choice };
  const { files, cosigned } = await proveLogged({ head, index }, request);
  addFiles(files, place);
  const { signatures, missing } = collected;
  const { quorum } = choice;
  return logReport(head, { cosigned, collected: signatures.length, quorum, missing, isComplete: true });
}

/** Publishes what is in the log, as if it had been signed elsewhere. */
function complete(
  served: PublishedTree,
  { signature, statement, rootKey, delegation, rotation }: PendingPublication,
  { options, place }: { readonly options: CosignOptions; readonly place: OutputFolder },
): Promise<BuildReport> {
  const { log, checkpoint, ...tree } = options;
  const issuers = withPending(served).issuers();
  const signer = {
    ...{ rootKey, development: served.development, signature, statement: statement.text, follows: undefined },
    list: listBytes(recordsBytes(issuers), statement.updatedAt),
  };
  const freshness = { delegation, rotation, checkpoint };
  return publish({ ...tree, records: recordsOfList(issuers), signer, freshness, log }, place);
}
