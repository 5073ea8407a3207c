import { RegistryError, type RootKey } from '@passport-registry/verifier';
import {
  ANY_TIME,
  clockNote,
  type Delegation,
  isToCome,
  verifyDelegation,
} from '@passport-registry/verifier/core';
import { ignoring, KeyRejected, UsageError } from '../errors.js';
import type { SignedPublication } from '../list/list.js';
import { clockAt, formatUpdatedAt } from '../list/updated-at.js';
import type { Signer } from '../signing/sign.js';
import { sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { Tree } from '../tree/tree.js';
import { type PreviousCheckpoint, previousCheckpoint } from './previous-checkpoint.js';
import { signStatement, toSeconds } from './statements.js';

/** The signer and the lifetime of a checkpoint. */
export interface CheckpointChoice {
  /** An online key that the delegation names, or the root key itself. */
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
  /** The delegation of the tree, if it has one. */
  readonly delegation: Uint8Array | undefined;
}

/**
 * Signs a checkpoint now. A checkpoint by an online key ends with its delegation at the latest, because verifiers accept
 * it no longer (rule hold-permission). The checkpoint holds the issuers that the published checkpoint holds, and is not
 * dated before it, because verifiers refuse a checkpoint that goes back.
 *
 * @throws {@link UsageError} if an online key would sign, but there is no delegation, or if the delegation does not let
 *   the online key hold the issuers; {@link KeyRejected} if it does not name that key, or has expired
 */
export async function signCheckpoint(
  { signer, hours }: CheckpointChoice,
  { rootKey, delegation, previous, hold = previous?.hold ?? [], ...named }: CheckpointContext,
): Promise<string> {
  const byRoot = signer.rootKey.thumbprint === rootKey.thumbprint;
  if (!byRoot && delegation === undefined) {
    throw new UsageError(
      `the online key ${signer.rootKey.thumbprint} cannot sign a checkpoint, because the tree has no delegation to it: if ` +
        'the registry is published, first load its tree into the output folder, for example with `branch load`; for the ' +
        'first checkpoint by an online key, build with --delegation',
    );
  }
  // If the delegation is not valid, the verification of the tree, which refuses it, says why.
  const delegated =
    byRoot || delegation === undefined
      ? undefined
      : await verifyDelegation(delegation, rootKey, ANY_TIME).catch(ignoring(RegistryError));
  if (delegated !== undefined) assertDelegated(signer, delegated);
  if (hold.length > 0 && delegated?.mayHold === false) throw notPermitted(hold);
  const iat = toSeconds(dateAfter(previous, hold));
  const exp = iat + (hours ?? (byRoot ? ROOT_CHECKPOINT_HOURS : ONLINE_CHECKPOINT_HOURS)) * HOUR_SECONDS;
  const { list, updatedAt, checksums, sequence } = named;
  return signStatement(signer, 'registry-checkpoint+jwt', {
    iat,
    exp: delegated === undefined ? exp : Math.min(exp, toSeconds(delegated.expiresAt)),
    updated_at: updatedAt,
    sha256: sha256(list),
    size: list.length,
    tree_sha256: sha256(checksums),
    sequence,
    ...(hold.length > 0 && { hold }),
  });
}

/** Says what to do, in place of the verification of the tree, which only refuses it. */
function assertDelegated(signer: Signer, { keys, issuedAt, expiresAt }: Delegation): void {
  const names = keys.map(({ thumbprint }) => thumbprint);
  const own = signer.rootKey.thumbprint;
  const later = 'A build with `--checkpoint-later` needs no online key';
  if (!names.includes(own)) {
    // A colleague may have replaced it, because it has leaked. To delegate to it would trust it again.
    throw new KeyRejected(
      `the online key ${own} cannot sign a checkpoint, because the delegation does not name it, but ${names.join(' or ')}. If one of you ` +
        `has replaced ${own} by the delegation of ${formatUpdatedAt(issuedAt)}, get registry.yaml from there, and never delegate to a key ` +
        `again that has leaked. Only if ${own} is a new key, build with the delegation to it from \`keys delegate\`: \`--delegation FILE\`. ${later}`,
      { isOtherKey: true },
    );
  }
  if (Date.now() < expiresAt) return;
  throw new KeyRejected(
    `the delegation to the online key ${own} has expired, at ${formatUpdatedAt(expiresAt)} ${clockNote(Date.now())}: sign another one, on the machine with the ` +
      `root key (\`keys delegate --online FILE > delegation.jwt\`), and build with \`--delegation delegation.jwt\`. ${later}`,
    { isOtherKey: true },
  );
}

function notPermitted(hold: readonly string[]): UsageError {
  return new UsageError(
    `the checkpoint would hold ${hold.join(', ')}, but the delegation does not let the online key hold issuers: sign a ` +
      'delegation with `keys delegate --hold`, and publish it with `build --delegation`, with checkpoint.signer in ' +
      'registry.yaml; to hold an issuer no longer, run `hold --end` under the delegation that is published',
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
    checksums: tree.get(PATHS.checksums) ?? new Uint8Array(),
    delegation: tree.get(PATHS.delegation),
    previous: await previousCheckpoint(published, choice.signer.rootKey),
  });
  return new Map([...tree, [PATHS.checkpoint, Buffer.from(text)]]);
}
