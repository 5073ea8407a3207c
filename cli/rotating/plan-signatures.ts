import { join } from 'node:path';
import { type RootKey, walkRotation } from '@passport-registry/verifier';
import { KeyRejected } from '../../generator/errors.js';
import { ROTATION_FILES, type RotationFiles } from '../operating/rotation-files.js';
import type { PlanChoice } from './rotation-choice.js';

/** The two keys of a rotation. */
interface RotationKeys {
  readonly outgoing: RootKey;
  /** Undefined if the next key is not known yet. */
  readonly next: RootKey | undefined;
}

/**
 * Asserts that the step of an earlier run leads from the outgoing key to the next key, and commits it as the operator says.
 *
 * @param commit - what the operator says, if anything
 * @returns the next key, with the keys to which the step commits it. Undefined if there is no step
 * @throws {@link KeyRejected}
 */
export async function assertStepFits(
  { folder, step }: RotationFiles,
  { outgoing, next }: RotationKeys,
  commit: readonly string[] | undefined,
): Promise<RootKey | undefined> {
  if (step === undefined) return undefined;
  const file = join(folder, ROTATION_FILES.step);
  const refused = (why: string, cause?: unknown) =>
    new KeyRejected(`${file} ${why}: find out who made it, and remove it to sign another`, { cause });
  const to = await walkRotation(outgoing, [step]).catch((cause: Error) => {
    throw refused(`is not a step from ${outgoing.thumbprint}: ${cause.message}`, cause);
  });
  if (to.thumbprint !== next?.thumbprint) {
    throw refused(`leads to ${to.thumbprint}, but the next key is ${next?.thumbprint ?? 'not known yet'}`);
  }
  if (commit !== undefined && `${to.nextRoots}` !== `${[...commit].sort()}`) {
    throw refused(`commits ${to.thumbprint} to ${to.nextRoots?.join(' or ') ?? 'nothing'}, unlike --commit`);
  }
  return to;
}

/** Who signs the checkpoint of the tree with the next root key. */
export type CheckpointSigner = 'online key' | 'next key';

/**
 * Finds out who signs the new checkpoint, because the present one is not valid under the next root key: the online key of
 * registry.yaml, unless that is a root key.
 */
export function planCheckpoint(
  { checkpoint }: Pick<PlanChoice, 'checkpoint'>,
  { outgoing, next }: RotationKeys,
): CheckpointSigner {
  const signer = checkpoint?.signer.rootKey.thumbprint;
  const isRoot = signer === undefined || signer === outgoing.thumbprint || signer === next?.thumbprint;
  return isRoot ? 'next key' : 'online key';
}
