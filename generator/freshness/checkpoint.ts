import type { RootKey } from '@passport-registry/verifier';
import {
  type Checkpoint,
  clockNote,
  isToCome,
  type OnlineKeys,
  type PublicationStatement,
} from '@passport-registry/verifier/core';
import { KeyRejected, UsageError } from '../errors.js';
import { clockAt, formatUpdatedAt } from '../list/updated-at.js';
import type { Signer } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';
import { checkpointValidity } from './expiry.js';
import { namesIn } from './online-keys.js';
import type { PreviousCheckpoint } from './previous-checkpoint.js';
import { type CheckpointClaims, signStatement, toSeconds } from './statements.js';

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

/** What a checkpoint names, and what limits it. */
export interface CheckpointContext {
  readonly statement: PublicationStatement;
  /** The bytes of SHA256SUMS. */
  readonly checksums: Uint8Array;
  /** The published checkpoint, whose holds the new one keeps. */
  readonly previous: PreviousCheckpoint | undefined;
  /** The ids to hold. Default: those of the published checkpoint. */
  readonly hold?: readonly string[] | undefined;
  readonly rootKey: RootKey;
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
  { rootKey, statement, checksums, previous, hold = previous?.hold ?? [] }: CheckpointContext,
): Promise<string> {
  const isByRoot = signer.rootKey.thumbprint === rootKey.thumbprint;
  const date = dateAfter(previous, hold);
  if (!isByRoot) assertMaySign(signer, statement.online, { hold, date });
  const lifetime = hours ?? (isByRoot ? ROOT_CHECKPOINT_HOURS : ONLINE_CHECKPOINT_HOURS);
  const claims = checkpointClaims({ statement, checksums, hold }, date, lifetime);
  return signStatement(signer, 'registry-checkpoint+jwt', claims);
}

/** Whether a published checkpoint still serves: the same key has signed it for the same tree, and it does not expire soon. */
export function isStillFor(
  { rootKey, statement, checksums }: Pick<CheckpointContext, 'rootKey' | 'statement' | 'checksums'>,
  previous: PreviousCheckpoint | undefined,
): previous is Checkpoint {
  if (previous === undefined || !('text' in previous)) return false;
  const published = previous as Checkpoint;
  return (
    published.publication === statement.hash &&
    published.treeSha256 === sha256(checksums) &&
    published.kid === rootKey.thumbprint &&
    checkpointValidity(published, Date.now()) === 'valid'
  );
}

/** Returns the claims of a checkpoint by the root key that is signed elsewhere. It keeps the holds of the published one. */
export function rootCheckpointClaims(
  { previous, ...named }: Pick<CheckpointContext, 'statement' | 'checksums' | 'previous'>,
  hours = ROOT_CHECKPOINT_HOURS,
): CheckpointClaims {
  const hold = previous?.hold ?? [];
  return checkpointClaims({ ...named, hold }, dateAfter(previous, hold), hours);
}

function checkpointClaims(
  {
    statement,
    checksums,
    hold,
  }: Pick<Required<CheckpointContext>, 'statement' | 'checksums'> & { readonly hold: readonly string[] },
  date: number,
  hours: number,
): CheckpointClaims {
  const iat = toSeconds(date);
  return {
    iat,
    exp: iat + hours * HOUR_SECONDS,
    publication: statement.hash,
    tree_sha256: sha256(checksums),
    ...(hold.length > 0 && { hold }),
  };
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
      `the publication names ${names.join(' or ') || 'no online key'}, not the online key ${own}: get the newest registry.yaml or, for a new ` +
        'key, build with the root key',
      { isOtherKey: true, see: 'docs/operators/emergency.md#the-online-key-has-leaked' },
    );
  }
  if (date > online.expiresAt) {
    throw new KeyRejected(
      `the online key ${own} could sign until ${formatUpdatedAt(online.expiresAt)} ${clockNote(Date.now())}: build with the root key, which ` +
        'publishes a new time',
      { isOtherKey: true },
    );
  }
  if (hold.length > 0 && !online.mayHold) throw notPermitted(hold);
}

function notPermitted(hold: readonly string[]): UsageError {
  return new UsageError(
    `the publication does not let online keys hold issuers (${hold.join(', ')}): leave checkpoint.may_hold out of registry.yaml and build with ` +
      'the root key, or run `hold --end`',
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
