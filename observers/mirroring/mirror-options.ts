import type { VerifyHolders } from '../../generator/tree/held-by.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import type { Cosigner } from '../witnessing/cosign-head.js';

/** Options of `mirrorOnce`. */
export interface MirrorOptions {
  /** A URL with http or https, or a source that rsync accepts: `rsync://host/module`, `host:folder` or a folder. */
  readonly source: string;
  /** The folder of the mirror. A host serves `current` in it. */
  readonly folder: string;
  readonly trust: PinnedTrust;
  /** The maximum age of a list without a checkpoint. */
  readonly maxAgeDays: number;
  /** The environment for rsync. */
  readonly env: NodeJS.ProcessEnv;
  /** Cosigns the log. Default: the mirror is no witness. */
  readonly witness?: Cosigner | undefined;
  /** Verifies the record of the holders of the root key. Default: the record is not verified. */
  readonly verifyHolders?: VerifyHolders | undefined;
}
