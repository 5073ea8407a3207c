import type { PublishOptions } from '../../generator/publishing/publication.js';
import type { RotationChoice } from '../../generator/publishing/rotation.js';
import type { SignerChoice } from '../../generator/signing/choose-signer.js';
import type { KeyCurve, NewPassphrase } from '../../generator/signing/key-file.js';

/** How `keys rotate` replaces the root key of a registry. */
export interface RotateOptions extends RotationChoice {
  /** The folder of the records. */
  readonly issuers: string;
  /** The folder of the tree. */
  readonly out: string;
  /** The outgoing root key, which signs the step. */
  readonly outgoing: SignerChoice;
  /** The next root key. A key file that does not exist is made. */
  readonly next: SignerChoice;
  /** The algorithm of a key file that is made. */
  readonly algorithm: KeyCurve;
  /** Provides the passphrase of a key file that is made. Undefined if none is made. */
  readonly newPassphrase?: NewPassphrase | undefined;
  /** How the publication by the next key is made. */
  readonly how: PublishOptions;
  readonly env: NodeJS.ProcessEnv;
}
