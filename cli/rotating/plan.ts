import { existsSync, realpathSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { readRotation } from '@passport-registry/verifier/core';
import { KeyRejected, RecordsRejected, UsageError } from '../../generator/errors.js';
import { workTreeAround } from '../../generator/files/git.js';
import { assertOutside, withOutputFolder } from '../../generator/files/output-folder.js';
import { isWithin } from '../../generator/files/walk.js';
import { NO_WITNESSES } from '../../generator/log/log-choice.js';
import type { CommittedTree } from '../../generator/publishing/committed.js';
import { askUrl, openCommitted } from '../../generator/publishing/open-tree.js';
import type { PublishOptions } from '../../generator/publishing/publication.js';
import { outgoingKey, type RotationChoice } from '../../generator/publishing/rotation.js';
import type { IssuerChange } from '../../generator/review/difference.js';
import { chooseSigner, type SignerChoice } from '../../generator/signing/choose-signer.js';
import { loadRootKey, publicHalf } from '../../generator/signing/key-file.js';
import { assertCommitted, nextCommitment } from '../../generator/tree/commitment.js';
import { pendingChanges } from '../operating/pending-changes.js';

/** How `keys rotate` replaces the root key of a registry. */
export interface RotateOptions extends RotationChoice {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The outgoing root key, which signs the step. */
  readonly outgoing: SignerChoice;
  /** The next root key. */
  readonly next: SignerChoice;
  /** How the publication by the next key is made. */
  readonly how: PublishOptions;
  readonly env: NodeJS.ProcessEnv;
}

/** A rotation that is complete: the newest publication is by the next key. */
interface CompleteRotation {
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
    await askUrl(found, { rootKey: plan.outgoing, development: false }, options.how.url);
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

/**
 * Reads the next root key, as far as that needs no passphrase.
 *
 * @returns undefined if the key is encrypted
 * @throws {@link KeyRejected} | {@link UsageError} | {@link IoFailed}
 */
async function readNextKey({
  next: { key },
  out,
  issuers,
  env,
}: RotateOptions): Promise<RootKey | undefined> {
  if (key === undefined) {
    throw new UsageError('name the next root key: pass --next-key FILE', {
      see: 'docs/operators/keys.md#a-new-root-key',
    });
  }
  if (!key.startsWith('env:')) {
    if (!existsSync(key))
      throw new UsageError(
        `${key} does not exist: make the next key first, with \`keys generate --private ${key}\``,
      );
    assertSafePlace(key, { out, issuers });
  }
  return publicHalf(key, env);
}

/** A build removes other files from the output folder, and a commit would publish a key in the git repository of the records. */
function assertSafePlace(key: string, { out, issuers }: Pick<RotateOptions, 'out' | 'issuers'>): void {
  const keyFolder = dirname(resolve(key));
  assertOutside(out, [keyFolder]);
  const repository = workTreeAround(issuers);
  if (repository === undefined || !isInside(repository, keyFolder)) return;
  throw new UsageError(
    `--next-key ${key} is in the git repository ${repository}: keep the private key in another folder`,
  );
}

/** Whether a path, which need not exist, is in a folder, or is the folder itself. Links are resolved. */
function isInside(folder: string, path: string): boolean {
  if (!existsSync(path)) return isInside(folder, dirname(path));
  return isWithin(realpathSync(folder), realpathSync(path));
}
