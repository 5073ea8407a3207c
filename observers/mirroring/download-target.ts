import type { Proven, Publication, SummedStatements } from '@passport-registry/verifier/core';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import type { Note } from '../../generator/verification/unknown-parts.js';
import type { HeldLog } from './held-log.js';
import type { HeldRelease } from './held-release.js';

/** The size of a download. */
export interface TransferStats {
  /** The number of files that the source sent. */
  readonly fetched: number;
  /** The size of these files, in bytes. */
  readonly bytes: number;
}

/** The rules of a verifier for files in the folder of a download. An error ends the download. */
export interface AcceptanceRules {
  /**
   * Called if the source still serves the release being served. Applies all rules to that release.
   *
   * @returns whether the release is intact, and the download is not needed
   */
  readonly acceptHeld: () => Promise<boolean>;
  /** Called once the statements are in the folder, before records are downloaded. Returns what they prove. */
  readonly acceptStatements: () => Promise<SummedStatements>;
  /**
   * Called once the log is in the folder, with the lists that it names.
   *
   * @param isVerified - whether a file of the log has been verified, by the download or for the release being served
   */
  readonly acceptLog: (isVerified?: (path: string) => boolean) => Promise<void>;
  /**
   * Called with the operations statement, once the statements are in the folder. Nobody decides by it, so a bad one is left
   * out, and does not end the download.
   *
   * @param read - reads the statement; undefined if there is none
   */
  readonly acceptOperations: (read: () => Promise<Uint8Array | undefined>) => Promise<Uint8Array | undefined>;
  /** Called with a note for each file that is left out. */
  readonly noteLeftOut: (notes: readonly Note[]) => void;
  /** Called once all files that decide about trust are in the folder. Returns what they prove. */
  readonly acceptPublication: () => Promise<Proven<Publication>>;
}

/** Where to write a tree, and what need not be downloaded again. */
export interface DownloadTarget {
  /** A new folder. */
  readonly folder: string;
  /** The release being served. */
  readonly held: HeldRelease | undefined;
  /** The newest log that was accepted before. */
  readonly heldLog: HeldLog | undefined;
  /** Whether to look for a log that no statement names yet: its first publication can be pending. */
  readonly seeksLog: boolean;
  readonly trust: PinnedTrust;
  readonly rules: AcceptanceRules;
  /** The environment for rsync. */
  readonly env: NodeJS.ProcessEnv;
}
