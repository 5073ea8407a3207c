import type { Checkpoint } from '@passport-registry/verifier/core';

/** A checkpoint, as far as the next one continues it. */
export type PreviousCheckpoint = Pick<Checkpoint, 'publication' | 'hold' | 'issuedAt'>;

/** The two checkpoints that the next one continues. */
export interface KnownCheckpoints {
  /** That of the published tree; undefined before the first publication. */
  readonly own: Checkpoint | undefined;
  /** The one at the registry's URL, verified; undefined if it is not known. */
  readonly served: Checkpoint | undefined;
}

/**
 * Returns the checkpoint that the next one continues: the newer one of the published tree and of the registry's URL. If both were
 * signed in the same second, it has the holds of both (rule hold-kept).
 */
export function previousCheckpoint({ own, served }: KnownCheckpoints): PreviousCheckpoint | undefined {
  if (own === undefined || served === undefined) return own ?? served;
  if (served.issuedAt > own.issuedAt) return served;
  if (served.issuedAt < own.issuedAt || String(served.hold) === String(own.hold)) return own;
  // Nobody has signed that one, so the next one is signed anew.
  const hold = [...new Set([...own.hold, ...served.hold])].sort();
  return { publication: own.publication, issuedAt: own.issuedAt, hold };
}

/** Returns the issuers that a checkpoint holds, and the next one does not. Without a next one, those are all. */
export function releasedBy(
  next: Pick<Checkpoint, 'hold'> | undefined,
  checkpoint: Pick<Checkpoint, 'hold'> | undefined,
): readonly string[] {
  const held = checkpoint?.hold ?? [];
  return held.filter((id) => next?.hold.includes(id) !== true);
}
