import { checkpointClaims } from '../freshness/freshness.js';
import type { PublishedTree } from '../tree/published-tree.js';

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
  /** Whether the tree has a delegation to online keys. */
  readonly delegated: boolean;
  /** SHA-256 of the tree's SHA256SUMS, in hexadecimal. */
  readonly treeSha256: string;
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
  delegated,
  treeSha256,
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
  if (delegated && checkpoint === undefined) {
    found.push(
      'The tree has a delegation and no checkpoint: verifiers that have accepted a checkpoint refuse the tree until `checkpoint` is run.',
    );
  }
  const { sha256: named, tree_sha256: tree } = checkpoint === undefined ? {} : checkpointClaims(checkpoint);
  if (checkpoint !== undefined && named !== sha256) {
    found.push(
      'The checkpoint still names an older list: verifiers learn of this one when `checkpoint` is run.',
    );
  } else if (checkpoint !== undefined && tree !== treeSha256) {
    found.push(
      'The list is unchanged, and other files of the tree are not: `verify` fails until `checkpoint` is run.',
    );
  }
  return found;
}
