import type { CheckpointChoice } from './checkpoint.js';
import type { OnlineChoice } from './online-keys.js';

/** The new statements about the freshness of a tree. */
export interface FreshnessChoice {
  /** The keys that may sign checkpoints besides the root key. Default: none. */
  readonly online?: OnlineChoice | undefined;
  /** For a rotation: the keys to which registry.yaml commits the outgoing root key, unless the published rotation does. */
  readonly nextRoots?: readonly string[] | undefined;
  /** The signer and the lifetime of the checkpoint. Default: the root key, if it signs the list here. */
  readonly checkpoint?: CheckpointBy | undefined;
}

/** Who signs the checkpoint of a publication. */
export interface CheckpointBy extends Partial<CheckpointChoice> {
  /** Whether the root key signs it, although the publication names online keys. */
  readonly byRoot?: boolean | undefined;
}
