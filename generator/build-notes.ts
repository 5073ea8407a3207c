import { namedList } from './freshness.js';
import type { PublishedTree } from './published.js';

/** What a publication came to, as far as its user may not expect it. */
export interface Outcome {
  readonly out: string;
  readonly updatedAt: string;
  /** The updated_at that was asked for. */
  readonly requested: string | undefined;
  /** Whether the list is the one that was published before. */
  readonly kept: boolean;
  /** SHA-256 of the list, in hexadecimal. */
  readonly sha256: string;
  /** The text of the tree's checkpoint. */
  readonly checkpoint: Uint8Array | undefined;
  /** The tree before; undefined when there was none, or it is known to be whole. */
  readonly before: PublishedTree | undefined;
}

/** What the user may not expect, in whole sentences. */
export function buildNotes({
  out,
  updatedAt,
  requested,
  kept,
  sha256,
  checkpoint,
  before,
}: Outcome): string[] {
  const found: string[] = [];
  if (kept && requested !== undefined && requested !== updatedAt) {
    found.push(
      `The records are those of ${updatedAt}, so the list keeps that time; ${requested} was not used.`,
    );
  }
  if (before !== undefined && !before.signed) {
    found.push(`The tree in ${out} was damaged, as after a build that was killed; it is whole again.`);
  }
  if (Date.parse(updatedAt) > Date.now() + IN_THE_FUTURE) {
    found.push(`The updated_at ${updatedAt} lies in the future: no later list can be published before then.`);
  }
  // A list that no checkpoint vouches for yet is not used by verifiers that have one which still holds.
  if (checkpoint !== undefined && namedList(checkpoint) !== sha256) {
    found.push(
      'The checkpoint still vouches for an older list: verifiers learn of this one when `checkpoint` is run.',
    );
  }
  return found;
}

/** Beyond this a time in the future is no matter of clocks, in milliseconds. */
const IN_THE_FUTURE = 10 * 60 * 1000;
