import type { RootKey } from '@passport-registry/verifier';
import { readStatement } from '@passport-registry/verifier/internal';
import { TreeRejected, UsageError } from '../errors.js';
import { CHECKSUMS_PATH } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import type { Tree } from '../tree/tree.js';
import { endWithDelegation } from './expiry.js';
import { type CheckpointChoice, type CheckpointSubject, checkpointStatement } from './statements.js';

/** What a checkpoint is signed for, and what limits it. */
export interface CheckpointContext extends Omit<CheckpointSubject, 'notAfter'> {
  readonly rootKey: RootKey;
  /** The delegation of the tree, if it has one. */
  readonly delegation: Uint8Array | undefined;
}

/**
 * Signs a checkpoint now. A checkpoint by an online key ends with its delegation at the latest, because verifiers accept
 * it no longer (SPEC C4).
 *
 * @throws {@link UsageError} if an online key would sign, but there is no delegation; {@link TreeRejected} if the
 *   delegation cannot be read
 */
export async function signCheckpoint(
  choice: CheckpointChoice,
  { rootKey, delegation, ...subject }: CheckpointContext,
): Promise<string> {
  const byRoot = choice.signer.rootKey.thumbprint === rootKey.thumbprint;
  if (!byRoot && delegation === undefined) {
    throw new UsageError(
      `the online key ${choice.signer.rootKey.thumbprint} cannot sign a checkpoint, because the tree has no delegation to it: if ` +
        'the registry is published, first load its tree into the output folder, for example with `branch load`; for the ' +
        'first checkpoint, build with --delegation',
    );
  }
  const limit = byRoot || delegation === undefined ? undefined : readDelegation(delegation).expiresAt;
  return checkpointStatement(choice, { ...subject, notAfter: limit }, Date.now());
}

function readDelegation(bytes: Uint8Array) {
  return readStatement(
    bytes,
    'registry-delegation+jwt',
    (message, cause) => new TreeRejected(`the delegation ${message}`, { cause }),
  );
}

/** Reports a checkpoint of a verified tree that ends with its delegation. */
export function limitOfCheckpoint(tree: Tree, rootKey: RootKey): string[] {
  const [checkpoint, delegation] = [tree.get(PATHS.checkpoint), tree.get(PATHS.delegation)];
  if (checkpoint === undefined || delegation === undefined) return [];
  const statement = readStatement(
    checkpoint,
    'registry-checkpoint+jwt',
    (message, cause) => new TreeRejected(`the checkpoint ${message}`, { cause }),
  );
  if (statement.kid === rootKey.thumbprint) return [];
  return endWithDelegation(statement, readDelegation(delegation), Date.now());
}

/** Adds a new checkpoint to a tree. Without a choice, returns the tree unchanged. */
export async function withCheckpoint(
  tree: Tree,
  { updatedAt, rootKey, sequence }: Pick<CheckpointContext, 'updatedAt' | 'rootKey' | 'sequence'>,
  choice: CheckpointChoice | undefined,
): Promise<Tree> {
  if (choice === undefined) return tree;
  const bytes = (path: string) => tree.get(path) ?? new Uint8Array();
  const text = await signCheckpoint(choice, {
    list: bytes(PATHS.list),
    checksums: bytes(CHECKSUMS_PATH),
    delegation: tree.get(PATHS.delegation),
    updatedAt,
    rootKey,
    sequence,
  });
  return new Map([...tree, [PATHS.checkpoint, Buffer.from(text)]]);
}
