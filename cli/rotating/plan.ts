import type { RootKey } from '@passport-registry/verifier';
import { readRotation } from '@passport-registry/verifier/core';
import { KeyRejected, RecordsRejected } from '../../generator/errors.js';
import { withOutputFolder } from '../../generator/files/output-folder.js';
import { NO_WITNESSES } from '../../generator/log/log-choice.js';
import type { CommittedTree } from '../../generator/publishing/committed.js';
import { followed, openCommitted } from '../../generator/publishing/open-tree.js';
import { outgoingKey } from '../../generator/publishing/rotation.js';
import type { IssuerChange } from '../../generator/review/difference.js';
import { chooseSigner, type SignerChoice } from '../../generator/signing/choose-signer.js';
import { loadRootKey } from '../../generator/signing/key-file.js';
import { assertCommitted, nextCommitment } from '../../generator/tree/commitment.js';
import { pendingChanges } from '../operating/pending-changes.js';
import { readNextKey } from './next-key.js';
import type { RotateOptions } from './rotation-choice.js';

/** A rotation that is complete: the newest publication is by the next key. */
export interface CompleteRotation {
  readonly done: true;
  /** The thumbprint of the key that was replaced. */
  readonly outgoing: string;
  /** With the keys to which the step commits it. */
  readonly next: RootKey;
}

/** What a rotation will do. */
export interface RotationPlan {
  readonly done: false;
  /** The hash of the publication that the rotation follows. */
  readonly follows: string;
  readonly outgoing: RootKey;
  /** Undefined if the key is encrypted, and has not been used yet. */
  readonly next: RootKey | undefined;
  /** The keys to which the step commits the next key; undefined if it commits to none. */
  readonly commits: readonly string[] | undefined;
  /** Whether an online key signs the checkpoint, in place of the next root key. */
  readonly isOnline: boolean;
  /** The changes of issuers that are also published. */
  readonly changes: readonly IssuerChange[];
}

/**
 * Finds out what a rotation will do, and refuses what would fail. Signs and makes nothing, but completes what was committed before.
 *
 * @throws {@link KeyRejected} | {@link TreeRejected} | {@link RecordsRejected} | {@link UsageError} | {@link AlreadyPublished} |
 *   {@link IoFailed}
 */
export function planRotation(options: RotateOptions): Promise<CompleteRotation | RotationPlan> {
  return withOutputFolder(options.out, async (output) => {
    const found = await openCommitted(output, options.how.log ?? NO_WITNESSES);
    const plan = await planOver(found, options);
    if (plan.done) return plan;
    // Nobody should confirm what would be refused.
    await followed(found, { rootKey: plan.outgoing, development: false }, options.how.url);
    return plan;
  });
}

/** Plans a rotation over an open tree. The errors are those of {@link planRotation}. */
export async function planOver(
  found: CommittedTree,
  options: RotateOptions,
): Promise<CompleteRotation | RotationPlan> {
  const { issuers, outgoing: given, how, commit, env } = options;
  const { freshness = {}, exceptions = {} } = how;
  const next = await readNextKey(options);
  const configured = given.rootKey === undefined ? undefined : await loadRootKey(given.rootKey, env);
  const choice = { ...options.next, production: true };
  const complete = await completeRotation(found, configured, { next, choice });
  if (complete !== undefined) return complete;
  const { follows, outgoing } = outgoingKey(found, freshness.nextRoots);
  if (configured !== undefined && configured.thumbprint !== outgoing.thumbprint) {
    throw new KeyRejected(
      `${given.rootKey} is ${configured.thumbprint}, but the root key of ${follows.folder} is ${outgoing.thumbprint}`,
    );
  }
  if (next?.thumbprint === outgoing.thumbprint)
    throw new KeyRejected(`the next key is the root key of ${follows.folder} already: ${next.thumbprint}`);
  if (next !== undefined) assertCommitted(outgoing, next.thumbprint);
  const steps = readRotation(follows.statements.rotation);
  const commits = nextCommitment(commit, { outgoing, next, steps });
  const { changes, problems } = await pendingChanges({ issuers, exceptions, development: false }, follows);
  if (problems.length > 0) throw new RecordsRejected(problems, 'nothing was signed');
  const online = freshness.checkpoint?.signer?.rootKey.thumbprint;
  const isOnline = online !== undefined && ![outgoing.thumbprint, next?.thumbprint].includes(online);
  return {
    done: false,
    follows: follows.statement.hash,
    outgoing,
    next,
    commits,
    isOnline,
    changes,
  };
}

/**
 * Returns the rotation that an earlier run has published, if the next key is the root key of the tree. That run may not have changed
 * the settings, which then name the outgoing key.
 *
 * @param configured - `root_key` of the settings
 */
async function completeRotation(
  { newest }: CommittedTree,
  configured: RootKey | undefined,
  { next: named, choice }: { readonly next: RootKey | undefined; readonly choice: SignerChoice },
): Promise<CompleteRotation | undefined> {
  if (newest === undefined) return undefined;
  const replaced = readRotation(newest.statements.rotation).map(({ kid }) => kid);
  const isReplaced = configured !== undefined && replaced.includes(configured.thumbprint);
  // An encrypted key is opened only here: the settings are to name the key of the tree, and no other.
  const next = isReplaced ? (await chooseSigner(choice)).rootKey : named;
  const outgoing = isReplaced ? configured.thumbprint : replaced.at(-1);
  if (outgoing === undefined || next?.thumbprint !== newest.rootKey.thumbprint) return undefined;
  return { done: true, outgoing, next: newest.rootKey };
}
