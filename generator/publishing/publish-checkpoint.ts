import { join } from 'node:path';
import {
  ANY_TIME,
  type Checkpoint,
  isOlderCheckpoint,
  verifyCheckpoint,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../errors.js';
import type { OutputFolder } from '../files/output-folder.js';
import { readBytes, readTreeFile } from '../files/read-file.js';
import { type CheckpointContext, signCheckpoint } from '../freshness/checkpoint.js';
import { expiryOf } from '../freshness/expiry.js';
import { type KnownCheckpoints, previousCheckpoint } from '../freshness/previous-checkpoint.js';
import { formatUpdatedAt } from '../list/updated-at.js';
import { type CosignChoice, NO_WITNESSES } from '../log/log-choice.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { type PublishedTree, readPublished } from '../tree/published-tree.js';
import { withStatements } from '../tree/statements-file.js';
import { assertVerifiable } from '../verification/accept.js';
import { rejecting } from '../verification/seen-files.js';
import { followUrl } from './follow-url.js';
import { assertProvable, type LogReport, renewProof } from './log-publication.js';
import { nextHold, type PublishedCheckpointChoice } from './next-hold.js';
import type { PublishOptions } from './publication.js';
import { outdated } from './sign-list.js';
import { addFiles } from './write.js';

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
  const tree = signedTree(published, output);
  const { witnesses = NO_WITNESSES } = choice;
  if (isWitnessed(tree, witnesses)) await assertProvable(tree, witnesses, output);
  const checksums = readBytes(join(output.out, PATHS.checksums));
  const { previous, hold, warnings } = await nextHold(tree, choice);
  const { rootKey, statement } = tree;
  const text = await signCheckpoint(choice, { statement, checksums, rootKey, previous, hold });
  return replaceCheckpoint(tree, { text, hold, warnings }, { witnesses, output });
}

/**
 * Publishes a checkpoint that the root key has signed elsewhere.
 *
 * @throws {@link RequestRejected} | {@link UsageError} | {@link TreeRejected} | {@link IoFailed}
 */
export async function attachCheckpoint(
  text: string,
  output: OutputFolder,
  { log: witnesses = NO_WITNESSES, url }: Pick<PublishOptions, 'log' | 'url'>,
): Promise<CheckpointReport> {
  const tree = signedTree(await readPublished(output.named), output);
  const { rootKey } = tree;
  const asked = await followUrl({ rootKey, published: tree }, { ...url, onlyCheckpoint: true });
  const checksums = readBytes(join(output.out, PATHS.checksums));
  const known = { published: tree, served: asked.checkpoint };
  const { hold } = await followingCheckpoint(text, { rootKey, checksums }, known);
  const warnings = asked.note === undefined ? [] : [asked.note];
  return replaceCheckpoint(tree, { text, hold, warnings }, { witnesses, output });
}

/**
 * Reads a checkpoint that the root key has signed elsewhere. It must be for this tree, and continue the published checkpoint:
 * since the request was made, the settings of the page may have changed, or somebody may have held an issuer.
 *
 * @param named - what the checkpoint must be for
 * @param known - the checkpoints of the published tree and of the registry's URL
 * @throws {@link RequestRejected} | {@link TreeRejected} | {@link UsageError}
 */
export async function followingCheckpoint(
  text: string,
  { rootKey, checksums }: Pick<CheckpointContext, 'rootKey' | 'checksums'>,
  known: KnownCheckpoints,
): Promise<Checkpoint> {
  const signed = await rejecting(() => verifyCheckpoint(text, { rootKey, online: undefined }, ANY_TIME));
  if (signed.treeSha256 !== sha256(checksums))
    throw outdated(`the checkpoint of the request is for a tree with another ${PATHS.checksums}`);
  const previous = await previousCheckpoint(known, rootKey);
  if (previous === undefined) return signed;
  const isSame = String(signed.hold) === String(previous.hold);
  if (isSame && !isOlderCheckpoint(signed, previous)) return signed;
  throw outdated('the published checkpoint is newer than that of the request, or holds other issuers');
}

/** A published tree that can get another checkpoint. */
type SignedTree = PublishedTree &
  Required<{
    readonly [Part in 'list' | 'updatedAt' | 'rootKey' | 'statement' | 'statements']: NonNullable<
      PublishedTree[Part]
    >;
  }>;

/** @throws {@link TreeRejected} */
function signedTree(published: PublishedTree | undefined, { out }: OutputFolder): SignedTree {
  const { list, updatedAt, rootKey, signed, statement, statements } = published ?? {};
  if (published && list && updatedAt && rootKey && statement && statements && signed)
    return { ...published, list, updatedAt, rootKey, statement, statements };
  const remedy = published?.isPublished
    ? 'the tree is damaged: restore it from a mirror, from a backup or from git, as `status` says'
    : 'load the published tree first, as `status` shows; only a registry that has never published is built first';
  throw new TreeRejected(`${out} has no registry with a valid signature; ${remedy}`);
}

const isWitnessed = ({ statement }: SignedTree, { witnesses }: CosignChoice) =>
  statement.log !== undefined && witnesses.length > 0;

/** A checkpoint that is about to be published. */
interface NextCheckpoint extends Pick<CheckpointReport, 'hold' | 'warnings'> {
  readonly text: string;
}

async function replaceCheckpoint(
  tree: SignedTree,
  { text, hold, warnings }: NextCheckpoint,
  { witnesses, output }: { readonly witnesses: CosignChoice; readonly output: OutputFolder },
): Promise<CheckpointReport> {
  const { out } = output;
  const next = withStatements(new Map(), { ...tree.statements, checkpoint: text });
  const files = { get: async (path: string) => next.get(path) ?? readTreeFile(out, path) };
  const { checkpoint } = await assertVerifiable(files, tree.rootKey);
  await addFiles(next, output);
  const log = isWitnessed(tree, witnesses) ? await renewProof(tree, witnesses, output) : undefined;
  return {
    updatedAt: tree.updatedAt,
    sha256: sha256(tree.list),
    hold,
    log,
    expires: formatUpdatedAt(checkpoint.expiresAt),
    warnings: [...warnings, ...expiryOf(checkpoint, Date.now()).soon],
  };
}
