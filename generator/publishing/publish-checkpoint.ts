import type { SignedHead } from '@passport-registry/verifier/core';
import { LOAD_FIRST, TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { signCheckpoint } from '../freshness/checkpoint.js';
import { expiryOf } from '../freshness/expiry.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { type CosignChoice, NO_WITNESSES } from '../log/log-choice.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { withStatements } from '../tree/statements-file.js';
import { assertVerifiable } from '../verification/accept.js';
import { type CommittedTree, checkpointBefore } from './committed.js';
import { oldCopy, readPublishedLog } from './extend-log.js';
import { followingCheckpoint } from './following-checkpoint.js';
import { amend, apply, replaceFiles, type Stage } from './journal.js';
import { type CosignedStage, cosignStage } from './log-publication.js';
import { nextHold, type PublishedCheckpointChoice } from './next-hold.js';
import { askUrl, type OpenTree } from './open-tree.js';
import { type CosignedLog, cosign, type LogReport } from './prove-logged.js';

/** The report of a new checkpoint. */
export interface CheckpointReport {
  readonly updatedAt: string;
  readonly sha256: string;
  /** When the checkpoint expires, RFC 3339. */
  readonly expires: string;
  /** In words: who was on hold already, and what expires soon. */
  readonly warnings: readonly string[];
  /** The ids of the issuers that the checkpoint holds, sorted. */
  readonly hold: readonly string[];
  /** What the witnesses did; undefined if the registry has no log, or no witness was to be asked. */
  readonly log: LogReport | undefined;
  /** Whether a publication waits for witnesses. */
  readonly waits: boolean;
}

/**
 * Completes a publication that waits for witnesses, if they cosign it now. Otherwise signs a new checkpoint for the published tree,
 * and has the head of its log cosigned again, so that the proof of a quiet registry stays fresh (rule log-witnesses).
 *
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected} | {@link IoFailed}
 */
export async function renewCheckpoint(
  found: CommittedTree,
  choice: PublishedCheckpointChoice,
): Promise<CheckpointReport> {
  const { output, published, newest, stage } = found;
  const { witnesses = NO_WITNESSES } = choice;
  if (stage === undefined || newest === undefined) return publishCheckpoint(found, choice);
  const { staged, statements, report } = await cosignWaiting({ output, stage, newest }, witnesses);
  if (report.cosigned < witnesses.quorum) {
    if (published === undefined)
      return { ...reportOf(newest, newest.checkpoint, []), log: report, waits: true };
    const renewed = await publishCheckpoint(found, { ...choice, witnesses: NO_WITNESSES });
    return { ...renewed, log: report };
  }
  // Issuers may have been held while it waited, here or at the registry's URL.
  const { tree, notes } = await askBeforeSigning(found, choice);
  const { rootKey, statement } = newest;
  const checksums = newest.read(PATHS.checksums) ?? new Uint8Array();
  const previous = checkpointBefore(tree);
  const checkpoint = await signCheckpoint(choice, { statement, checksums, rootKey, previous });
  const files = withStatements(new Map(), { ...statements, checkpoint });
  const { checkpoint: proven } = await assertReadable(files, newest);
  await apply(output, await amend(output, staged, files));
  return { ...reportOf(newest, proven, notes), log: report, waits: false };
}

/**
 * Signs a new checkpoint for a published tree (rule checkpoint-form). A client must accept the tree with the new
 * checkpoint before one rename publishes the checkpoint. A publication that waits for witnesses goes on waiting.
 *
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected} | {@link IoFailed}
 */
export async function publishCheckpoint(
  found: CommittedTree,
  choice: PublishedCheckpointChoice,
): Promise<CheckpointReport> {
  const published = publishedIn(found);
  const log = await cosignAgain(published, choice.witnesses);
  const { tree, notes } = await askBeforeSigning(found, choice);
  const checksums = published.read(PATHS.checksums) ?? new Uint8Array();
  const { previous, hold, warnings } = nextHold(tree, published, choice.holdChange);
  const { rootKey, statement } = published;
  const text = await signCheckpoint(choice, { statement, checksums, rootKey, previous, hold });
  return replaceCheckpoint(tree, { text, log, warnings: [...notes, ...warnings] });
}

/** Applies the rule about the registry's URL, right before a checkpoint is signed. */
function askBeforeSigning(
  found: CommittedTree,
  { signer, url }: PublishedCheckpointChoice,
): Promise<OpenTree> {
  const development = found.newest?.development !== false;
  return askUrl(found, { rootKey: signer.rootKey, development }, url);
}

/**
 * Publishes a checkpoint that the root key has signed elsewhere. Its request was for the newest publication: one that waits for
 * witnesses gets the checkpoint, and is completed if they cosign it now.
 *
 * @throws {@link RequestRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachCheckpoint(
  text: string,
  found: CommittedTree,
  { witnesses = NO_WITNESSES, url }: Pick<PublishedCheckpointChoice, 'witnesses' | 'url'>,
): Promise<CheckpointReport> {
  const { output, stage, newest = publishedIn(found) } = found;
  const { rootKey, read } = newest;
  const checksums = read(PATHS.checksums) ?? new Uint8Array();
  const asked = stage && (await cosignWaiting({ output, stage, newest }, witnesses));
  const log = asked === undefined ? await cosignAgain(newest, witnesses) : undefined;
  const { tree, notes } = await askUrl(found, { rootKey, development: false }, url);
  await followingCheckpoint(text, { rootKey, checksums }, checkpointBefore(tree));
  if (asked === undefined) return replaceCheckpoint(tree, { text, log, warnings: notes });
  const { staged, statements, report } = asked;
  const files = withStatements(new Map(), { ...statements, checkpoint: text });
  const { checkpoint } = await assertReadable(files, newest);
  const amended = await amend(output, staged, files);
  const waits = report.cosigned < witnesses.quorum;
  if (!waits) await apply(output, amended);
  return { ...reportOf(newest, checkpoint, notes), log: report, waits };
}

/** @throws {@link TreeRejected} if nothing is published */
function publishedIn({ published, output: { named } }: CommittedTree): PublishedTree {
  if (published !== undefined) return published;
  throw new TreeRejected(
    `${named} has no published list: load the published tree with \`load\`, or build a first list`,
    LOAD_FIRST,
  );
}

/** Has the head of a published log cosigned again. Undefined if there is no log, or if no witness is to be asked. */
async function cosignAgain(
  published: PublishedTree,
  witnesses: CosignChoice = NO_WITNESSES,
): Promise<CosignedLog | undefined> {
  if (published.statement.log === undefined || witnesses.witnesses.length === 0) return undefined;
  const cosigned = await cosign(await logHead(published), witnesses, published.read);
  assertNewestLog(published, cosigned.report);
  return cosigned;
}

/**
 * Asserts that no witness has seen more than the log of a tree. The tree is then an old copy, and a new checkpoint would let clients
 * believe it.
 */
function assertNewestLog({ folder }: PublishedTree, { isForked }: LogReport): void {
  if (!isForked) return;
  throw oldCopy(folder, `a witness has cosigned what the log of ${folder} lacks`);
}

/** Has the head of a publication cosigned that waits for witnesses. */
async function cosignWaiting(
  { output, stage, newest }: { output: OutputFolder; stage: Stage; newest: PublishedTree },
  witnesses: CosignChoice,
): Promise<CosignedStage> {
  const committed = { output, committed: stage, statements: newest.statements };
  const cosigned = await cosignStage(committed, await logHead(newest), witnesses);
  assertNewestLog(newest, cosigned.report);
  return cosigned;
}

/** What replaces a checkpoint. */
interface Replacement {
  readonly text: string;
  /** What witnesses have cosigned now. */
  readonly log: CosignedLog | undefined;
  readonly warnings: readonly string[];
}

async function replaceCheckpoint(
  tree: CommittedTree,
  { text, log, warnings }: Replacement,
): Promise<CheckpointReport> {
  const published = publishedIn(tree);
  const isProven = log !== undefined && log.report.cosigned >= log.report.quorum;
  const { statements } = published;
  const logProof = isProven ? log.proof : statements.logProof;
  // The statements last: they are what a client reads.
  const head = isProven ? ([[PATHS.logHead, log.headBytes]] as const) : [];
  const files = withStatements(new Map(head), { ...statements, checkpoint: text, logProof });
  const { checkpoint } = await assertReadable(files, published);
  await replaceFiles(tree.output, files);
  return {
    ...reportOf(published, checkpoint, warnings),
    log: log?.report,
    waits: tree.stage !== undefined,
  };
}

/** Returns the head of the log that a publication names. @throws {@link TreeRejected} */
async function logHead(tree: PublishedTree): Promise<SignedHead> {
  const { log } = tree.statement;
  if (log === undefined) throw new TreeRejected(`${tree.folder} has no log`);
  return (await readPublishedLog(tree, log)).head;
}

/** Asserts that a client accepts a tree with some files replaced. */
function assertReadable(files: ReadonlyMap<string, Uint8Array>, { read, rootKey }: PublishedTree) {
  return assertVerifiable({ get: async (path) => files.get(path) ?? read(path) }, rootKey);
}

function reportOf(
  { list, updatedAt }: PublishedTree,
  checkpoint: PublishedTree['checkpoint'],
  warnings: readonly string[],
): Omit<CheckpointReport, 'log' | 'waits'> {
  return {
    updatedAt,
    sha256: sha256(list),
    hold: checkpoint.hold,
    expires: formatUpdatedAt(checkpoint.expiresAt),
    warnings: [...warnings, ...expiryOf(checkpoint, Date.now()).soon],
  };
}
