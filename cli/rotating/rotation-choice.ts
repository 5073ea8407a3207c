import type { CheckpointChoice } from '../../generator/freshness/checkpoint.js';
import type { OnlineChoice } from '../../generator/freshness/online-keys.js';
import type { LogChoice } from '../../generator/log/log-choice.js';
import type { UrlQuestion } from '../../generator/publishing/follow-url.js';
import type { TreeOptions } from '../../generator/publishing/publication.js';
import type { RuleExceptions } from '../../generator/review/assert-publishable.js';
import type { SignerChoice } from '../../generator/signing/choose-signer.js';
import type { KeyCurve, NewPassphrase } from '../../generator/signing/key-file.js';

/** What the plan of a rotation depends on. */
export interface PlanChoice {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The folder of the rotation, which holds the step. */
  readonly folder: string;
  /** The outgoing root key, which signs the step. */
  readonly outgoing: SignerChoice;
  /** The next root key. A key file that does not exist is made. */
  readonly next: SignerChoice;
  /** The algorithm of a key file that is made. */
  readonly algorithm: KeyCurve;
  /** The keys to which registry.yaml commits the outgoing key, unless the published rotation does. */
  readonly nextRoots: readonly string[] | undefined;
  /** The keys to which the step commits the next key. Default: those that are left of the outgoing key's. */
  readonly commit: readonly string[] | undefined;
  /** The online keys of registry.yaml, which the publication by the next key names again. */
  readonly online: OnlineChoice | undefined;
  /** The signer of the new checkpoint, if an online key signs checkpoints. */
  readonly checkpoint: CheckpointChoice | undefined;
  /** How long a checkpoint by the next root key is valid, if the root key signs checkpoints. Default: 30 days. */
  readonly checkpointHours: number | undefined;
  /** The log of the registry; undefined if it has none. */
  readonly log: LogChoice | undefined;
  readonly exceptions: RuleExceptions;
  readonly tree: TreeOptions;
  /** How to ask the registry's URL before anything is signed. */
  readonly url: UrlQuestion;
  readonly env: NodeJS.ProcessEnv;
}

/** How to rotate the root key of a registry. */
export interface RotationChoice extends PlanChoice {
  /** Provides the passphrase of a key file that is made. Undefined if none is made. */
  readonly newPassphrase: NewPassphrase | undefined;
}
