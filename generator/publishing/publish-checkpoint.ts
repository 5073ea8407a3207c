import { join } from 'node:path';
import { TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readBytes, readTreeFile } from '../files/read-file.js';
import { signCheckpoint } from '../freshness/checkpoint.js';
import { expiryOf } from '../freshness/expiry.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { NO_WITNESSES } from '../log/log-choice.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import { assertVerifiable } from '../verification/accept.js';
import { assertProvable, type LogReport, renewProof } from './log-publication.js';
import { nextHold, type PublishedCheckpointChoice } from './next-hold.js';
import { intactStatement } from './sign-statement.js';
import { replaceStatements } from './write.js';

/** The report of a new checkpoint. */
export interface CheckpointReport {
  readonly updatedAt: string;
  readonly sha256: string;
  /** When the checkpoint expires, RFC 3339. */
  readonly expires: string;
  /** When its delegation expires, RFC 3339; undefined if the root key signed the checkpoint. */
  readonly delegationExpires: string | undefined;
  /** In words: who was on hold already, a missing promise of checkpoints, and what expires soon. */
  readonly warnings: readonly string[];
  /** The ids of the issuers that the checkpoint holds, sorted. */
  readonly hold: readonly string[];
  /** What the witnesses did; undefined if the registry has no log, or no witness was to be asked. */
  readonly log: LogReport | undefined;
}

/**
 * Signs a new checkpoint for a published tree (rule checkpoint-form). A client must accept the tree with the new
 * checkpoint before one rename publishes the checkpoint. Then collects new cosignatures for the log, so that the proof
 * of a quiet registry stays fresh, too (rule log-witnesses). Nothing else changes.
 *
 * @param published - the tree in the output folder; undefined if there is none
 * @throws {@link UsageError} | {@link TreeRejected} | {@link KeyRejected} | {@link IoFailed}
 */
export async function publishCheckpoint(
  published: PublishedTree | undefined,
  output: OutputFolder,
  choice: PublishedCheckpointChoice,
): Promise<CheckpointReport> {
  const { out } = output;
  const { witnesses = NO_WITNESSES } = choice;
  const { list, updatedAt, rootKey, signed } = published ?? {};
  if (
    published === undefined ||
    list === undefined ||
    updatedAt === undefined ||
    rootKey === undefined ||
    !signed
  ) {
    const remedy = published?.isPublished
      ? 'the tree is damaged: restore it from a mirror, from a backup or from git, as `status` says'
      : 'load the published tree first, as `status` shows; only a registry that has never published is built first';
    throw new TreeRejected(`${out} has no registry with a valid signature; ${remedy}`);
  }
  const statement = intactStatement(published);
  const hash = sha256(list);
  const isWitnessed = statement?.log !== undefined && witnesses.witnesses.length > 0;
  if (isWitnessed) await assertProvable(published, witnesses, output);
  const checksums = readBytes(join(out, PATHS.checksums));
  const delegation = readTreeFile(out, PATHS.delegation);
  const { previous, hold, warnings } = await nextHold(published, choice);
  const subject = { list, updatedAt, checksums, delegation, rootKey, sequence: statement?.sequence };
  const bytes = Buffer.from(await signCheckpoint(choice, { ...subject, previous, hold }));
  const tree = { get: async (path: string) => (path === PATHS.checkpoint ? bytes : readTreeFile(out, path)) };
  const { checkpoint } = await assertVerifiable(tree, rootKey);
  if (checkpoint === undefined) throw new TypeError('the tree has no checkpoint, which was just added');
  await replaceStatements(new Map([[PATHS.checkpoint, bytes]]), output);
  const log = isWitnessed ? await renewProof(published, witnesses, output) : undefined;
  const delegated = checkpoint.delegation;
  return {
    updatedAt,
    sha256: hash,
    hold,
    log,
    expires: formatUpdatedAt(checkpoint.expiresAt),
    delegationExpires: delegated && formatUpdatedAt(delegated.expiresAt),
    warnings: [...warnings, ...expiryOf(checkpoint, delegated, Date.now()).soon],
  };
}
