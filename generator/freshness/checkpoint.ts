import type { RootKey } from '@passport-registry/verifier';
import { clockNote, isToCome, type OnlineKeys } from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';
import type { SignedPublication } from '../list/list.js';
import { clockAt, formatUpdatedAt } from '../list/updated-at.js';
import type { Signer } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import { namesIn } from './online-keys.js';
import { type PreviousCheckpoint, previousCheckpoint } from './previous-checkpoint.js';
import { signStatement, toSeconds } from './statements.js';

/** The signer and the lifetime of a checkpoint. */
export interface CheckpointChoice {
  /** An online key that the publication names, or the root key itself. */
  readonly signer: Signer;
  /** Default: {@link ROOT_CHECKPOINT_HOURS} for the root key, and {@link ONLINE_CHECKPOINT_HOURS} for an online key. */
  readonly hours?: number | undefined;
}

/** How long a checkpoint by an online key is valid, in hours, unless the operator says otherwise. */
export const ONLINE_CHECKPOINT_HOURS = 24;

/** How long a checkpoint by the root key is valid, in hours, unless the operator says otherwise: 30 days. */
export const ROOT_CHECKPOINT_HOURS = 30 * 24;

const HOUR_SECONDS = 60 * 60;

/** The list and the tree that a checkpoint names, and what limits it. */
interface CheckpointContext {
  readonly list: Uint8Array;
  readonly updatedAt: string;
  /** The bytes of SHA256SUMS. */
  readonly checksums: Uint8Array;
  /** The sequence of the publication statement. */
  readonly sequence: number;
  /** The published checkpoint, whose holds the new one keeps. */
  readonly previous: PreviousCheckpoint | undefined;
  /** The ids to hold. Default: those of the published checkpoint. */
  readonly hold?: readonly string[] | undefined;
  readonly rootKey: RootKey;
  /** The online keys of the publication. */
  readonly online: OnlineKeys | undefined;
}

/**
 * Signs a checkpoint now. The checkpoint holds the issuers that the published checkpoint holds, and is not dated before it,
 * because verifiers refuse a checkpoint that goes back.
 *
 * @throws {@link KeyRejected} if an online key would sign, but the publication does not name it, or its time is over;
 *   {@link UsageError} if the publication does not let online keys hold the issuers
 */
export async function signCheckpoint(
  { signer, hours }: CheckpointChoice,
  { rootKey, online, previous, hold = previous?.hold ?? [], ...named }: CheckpointContext,
): Promise<string> {
  const isByRoot = signer.rootKey.thumbprint === rootKey.thumbprint;
  const date = dateAfter(previous, hold);
  if (!isByRoot) assertMaySign(signer, online, { hold, date });
  const lifetime = hours ?? (isByRoot ? ROOT_CHECKPOINT_HOURS : ONLINE_CHECKPOINT_HOURS);
  const iat = toSeconds(date);
  const { list, updatedAt, checksums, sequence } = named;
  return signStatement(signer, 'registry-checkpoint+jwt', {
    iat,
    exp: iat + lifetime * HOUR_SECONDS,
    updated_at: updatedAt,
    sha256: sha256(list),
    size: list.length,
    tree_sha256: sha256(checksums),
    sequence,
    ...(hold.length > 0 && { hold }),
  });
}

/** Says what to do, in place of the verification of the tree, which only refuses the checkpoint. */
function assertMaySign(
  signer: Signer,
  online: OnlineKeys | undefined,
  { hold, date }: { readonly hold: readonly string[]; readonly date: number },
): void {
  const own = signer.rootKey.thumbprint;
  const names = online === undefined ? [] : namesIn(online);
  if (online === undefined || !names.includes(own)) {
    // A colleague may have replaced the key, because it has leaked.
    throw new KeyRejected(
      `the online key ${own} cannot sign a checkpoint, because the publication names ${names.join(' or ') || 'no online key'}. If the key was ` +
        'replaced, get registry.yaml from whoever replaced it. Only if it is a new key, publish it first: name it in checkpoint.public_key in ' +
        'registry.yaml, and build with the root key',
      { isOtherKey: true },
    );
  }
  if (date > online.expiresAt) {
    throw new KeyRejected(
      `the time of the online key ${own} is over, since ${formatUpdatedAt(online.expiresAt)} ${clockNote(Date.now())}: build with the root key, ` +
        'which publishes a new time',
      { isOtherKey: true },
    );
  }
  if (hold.length > 0 && !online.mayHold) throw notPermitted(hold);
}

function notPermitted(hold: readonly string[]): UsageError {
  return new UsageError(
    `the checkpoint would hold ${hold.join(', ')}, but the publication does not let online keys hold issuers: leave ` +
      'checkpoint.may_hold out of registry.yaml, and build with the root key; to hold an issuer no longer, run `hold --end` first',
  );
}

/**
 * Returns the date of a new checkpoint. After a change of the holds, it is later than that of the published checkpoint,
 * even on a machine whose clock is a little behind. A date that verifiers don't accept yet is no reason to wait.
 */
function dateAfter(previous: PreviousCheckpoint | undefined, hold: readonly string[]): number {
  const now = Date.now();
  if (previous === undefined || isToCome(previous.issuedAt, clockAt(now))) return now;
  const isSame = String(previous.hold) === String(hold);
  return Math.max(now, previous.issuedAt + (isSame ? 0 : 1000));
}

/**
 * Adds a new checkpoint to a tree. Without a choice, returns the tree unchanged.
 *
 * @throws the errors of {@link signCheckpoint} and {@link previousCheckpoint}
 */
export async function withCheckpoint(
  tree: Tree,
  {
    signed,
    published,
  }: { readonly signed: SignedPublication; readonly published: PublishedTree | undefined },
  choice: CheckpointChoice | undefined,
): Promise<Tree> {
  if (choice === undefined) return tree;
  const { list, rootKey, statement } = signed;
  const text = await signCheckpoint(choice, {
    list: list.list,
    updatedAt: list.updatedAt,
    rootKey,
    sequence: statement.sequence,
    online: statement.online,
    checksums: tree.get(PATHS.checksums) ?? new Uint8Array(),
    previous: await previousCheckpoint(published, choice.signer.rootKey),
  });
  return new Map([...tree, [PATHS.checkpoint, Buffer.from(text)]]);
}
