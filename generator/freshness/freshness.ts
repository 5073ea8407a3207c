import { type RootKey, walkRotation } from '@passport-registry/verifier';
import { KeyRejected } from '../errors.js';
import { withConfigured } from '../tree/commitment.js';
import type { PublishedTree } from '../tree/published-tree.js';
import type { CheckpointChoice } from './checkpoint.js';
import type { OnlineChoice } from './online-keys.js';

/** The new statements about the freshness of a tree. */
export interface FreshnessChoice {
  /** The keys that may sign checkpoints besides the root key. Default: none. */
  readonly online?: OnlineChoice | undefined;
  /** A rotation step from the previous root key to this root key. */
  readonly rotation?: string | undefined;
  /** The keys to which registry.yaml commits the previous root key, unless the published rotation does. */
  readonly nextRoots?: readonly string[] | undefined;
  /** The signer and the lifetime of the checkpoint. Default: the root key, if it signs the list here. */
  readonly checkpoint?: CheckpointBy | undefined;
}

/** Who signs the checkpoint of a publication. */
export interface CheckpointBy extends Partial<CheckpointChoice> {
  /** Whether the root key signs it, although the publication names online keys. */
  readonly byRoot?: boolean | undefined;
}

/** How the root key of a new tree continues that of the published one. */
type Continuation = Pick<FreshnessChoice, 'rotation' | 'nextRoots'>;

/**
 * Returns the rotation of a new tree: the published steps, and the new one. Asserts that they lead from the previous root key to
 * this root key.
 *
 * @returns the steps, JWTs, oldest first
 * @throws {@link KeyRejected}
 */
export async function rotationOf(
  published: PublishedTree | undefined,
  rootKey: RootKey,
  { rotation: step, nextRoots }: Continuation,
): Promise<readonly string[]> {
  const previousRoot = published?.rootKey;
  const isChanged = previousRoot !== undefined && previousRoot.thumbprint !== rootKey.thumbprint;
  const earlier = published?.statements.rotation ?? [];
  // The step may have been published already.
  const steps = step === undefined || earlier.at(-1) === step ? earlier : [...earlier, step];
  if (steps.length === 0) return steps;
  const from =
    previousRoot === undefined ? rootKey : withConfigured(previousRoot, isChanged ? nextRoots : undefined);
  const { thumbprint } = await walkRotation(from, steps).catch((cause: Error) => {
    throw new KeyRejected(`the rotation is not valid: ${cause.message}`, { cause });
  });
  if (thumbprint !== rootKey.thumbprint) {
    throw new KeyRejected(
      `the rotation leads from ${from.thumbprint} to ${thumbprint}, but the root key is ${rootKey.thumbprint}: ` +
        'create the missing step with `keys step`, and pass it with --rotation',
    );
  }
  return steps;
}
