import type { CheckpointChoice } from '../freshness/checkpoint.js';
import type { OnlineChoice } from '../freshness/online-keys.js';
import type { LogChoice } from '../log/log-choice.js';
import type { Listeners } from '../progress.js';
import type { RuleExceptions } from '../review/assert-publishable.js';
import type { RegistryDescription } from '../tree/registry-description.js';
import type { UrlQuestion } from './follow-url.js';

/** The time of a list. */
export interface ListTime {
  /** The updated_at of the list if the list has changed: RFC 3339, UTC to the second. Default: now. */
  readonly updatedAt?: string | undefined;
}

/** What a tree contains besides the list. */
export interface TreeOptions {
  /** What the page and the OpenAPI description say about the registry. Default: nothing. */
  readonly about?: RegistryDescription | undefined;
  /** The file of a logo, an SVG or PNG image. */
  readonly logo?: string | undefined;
}

/** How to publish a list. Each group is for one step. */
export interface PublishOptions extends TreeOptions {
  /** How to ask the registry's URL before a production key signs. Default: nothing is asked. */
  readonly url?: UrlQuestion | undefined;
  /** For the step that applies the rules of change. */
  readonly exceptions?: RuleExceptions | undefined;
  /** The log and its witnesses, for the steps that sign and log. Default: the registry has no log. */
  readonly log?: LogChoice | undefined;
  /** Online keys and checkpoint: for the statement, and for the step that assembles the tree. */
  readonly freshness?: FreshnessChoice | undefined;
  /** Told of each step. */
  readonly listeners?: Listeners | undefined;
}

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
