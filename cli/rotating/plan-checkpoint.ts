import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { RootKey } from '@passport-registry/verifier';
import { KeyRejected, UsageError } from '../../generator/errors.js';
import { PATHS } from '../../generator/tree/paths.js';
import type { RotationKeys } from './check-files.js';
import type { PlanChoice } from './rotation-choice.js';

/** Who signs the checkpoint of the tree with the next root key. */
export type CheckpointSigner = 'online key' | 'next key';

/**
 * Finds out who signs the new checkpoint, because the present one is not valid under the next root key.
 *
 * @returns undefined if the registry has no checkpoints
 * @throws {@link UsageError} | {@link KeyRejected}
 */
export function planCheckpoint(
  { out, checkpoint }: Pick<PlanChoice, 'out' | 'checkpoint'>,
  { outgoing, next, delegated }: RotationKeys & { readonly delegated: readonly RootKey[] | undefined },
): CheckpointSigner | undefined {
  const signer = checkpoint?.signer.rootKey.thumbprint;
  if (signer === undefined) {
    if (!existsSync(join(out, PATHS.checkpoint))) return undefined;
    if (delegated === undefined) return 'next key';
    throw new UsageError(
      `${out} has a checkpoint, which is not valid under the next root key: set checkpoint.signer in registry.yaml to sign a new one with the tree`,
    );
  }
  if (signer === outgoing.thumbprint || signer === next?.thumbprint) return 'next key';
  if (delegated?.some(({ thumbprint }) => thumbprint === signer)) return 'online key';
  throw new KeyRejected(
    `the checkpoint key is ${signer}, which the delegation of the next key does not name: set another key in checkpoint.signer in registry.yaml, or pass --online`,
  );
}
