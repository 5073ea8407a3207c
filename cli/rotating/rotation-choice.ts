import type { PublishOptions } from '../../generator/publishing/publication.js';
import type { RotationChoice } from '../../generator/publishing/rotation.js';
import type { SignerChoice } from '../../generator/signing/choose-signer.js';

/** How `keys rotate` replaces the root key of a registry. */
export interface RotateOptions extends RotationChoice {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The outgoing root key, which signs the step. */
  readonly outgoing: SignerChoice;
  /** The next root key. */
  readonly next: SignerChoice;
  /** How the publication by the next key is made. */
  readonly how: PublishOptions;
  readonly env: NodeJS.ProcessEnv;
}
