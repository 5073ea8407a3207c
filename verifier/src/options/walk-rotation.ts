import { CLOCK_TOLERANCE_MS } from '../core/bytes/clock.js';
import type { RootKey } from '../core/keys/root-key.js';
import { milliseconds } from '../core/options.js';
import { readRotation, walkSteps } from '../core/statements/rotation.js';

/** The clock of {@link walkRotation}. */
export interface RotationOptions {
  /** The tolerance for a clock that is ahead of this one, in seconds. Default: 300. */
  readonly clockTolerance?: number;
  /** Returns the current time in milliseconds since 1970. Default: `Date.now`. */
  readonly now?: () => number;
}

/**
 * Follows the rotation from a pinned root key to the current root key (docs/protocol/rotation.md#rotation-chain).
 *
 * The outgoing key signs each step, and the `kid` in the header is the thumbprint of the outgoing key. Steps before the
 * pinned key are parsed but not verified. Every later step must continue the previous step. If a key is committed to its
 * successors (`nextRoots`), the step must lead to one of them (docs/protocol/rotation.md#commitment-followed). A step
 * from the future is refused.
 *
 * @param pinned - the trusted root key
 * @param rotation - the member `rotation` of /statements.json: the steps, JWTs, oldest first
 * @param options - the clock
 * @returns the current root key. This is the pinned key itself if no step follows it
 * @throws `ERR_ROTATION_INVALID` | `ERR_ROTATION_GAP` | `ERR_ROTATION_LOOP` | `ERR_ROTATION_SIGNATURE` |
 *   `ERR_ROTATION_NOT_COMMITTED` | `ERR_NOT_YET_VALID`
 *
 * @example
 * ```ts
 * import { importRootKey, walkRotation } from '@passport-registry/verifier';
 *
 * const pinned = await importRootKey(pinnedJwk);
 * const current = await walkRotation(pinned, []);
 * console.log(current.thumbprint === pinned.thumbprint); // true
 * ```
 */
export async function walkRotation(
  pinned: RootKey,
  rotation: readonly string[],
  options: RotationOptions = {},
): Promise<RootKey> {
  const { now = Date.now, clockTolerance } = options;
  const clock = { now: now(), tolerance: milliseconds(clockTolerance, CLOCK_TOLERANCE_MS) };
  const keys = await walkSteps([pinned], readRotation(rotation), clock);
  return keys.at(-1) ?? pinned;
}
