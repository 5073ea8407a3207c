import {
  DAY_MS,
  type Proven,
  type Publication,
  type SummedStatements,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import {
  type AcceptOptions,
  acceptPublication,
  acceptStatements,
} from '../../generator/verification/accept.js';
import { auditLog } from '../../generator/verification/audit-log.js';
import type { CheckedLog } from '../../generator/verification/check-log.js';
import { isLoggedStatement } from '../../generator/verification/log-archive.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { folderSource, type TreeSource } from '../../generator/verification/tree-source.js';
import type { Note } from '../../generator/verification/unknown-parts.js';
import { type TreeReport, verifyTree } from '../../generator/verification/verify.js';
import type { HeldLog, HeldRelease } from './held-release.js';

/** Options of `mirrorOnce`. */
export interface MirrorOptions {
  /** A URL with http or https. */
  readonly source: string;
  /** The folder of the mirror. A host serves `current` in it. */
  readonly folder: string;
  readonly trust: PinnedTrust;
  /** The maximum age of a list without a checkpoint. */
  readonly maxAgeDays: number;
}

/** What a mirror accepted before. A new release must follow it, and need not download it again. */
interface AcceptedBefore {
  /** The release being served. */
  readonly held: HeldRelease | undefined;
  /** All releases, newest first. */
  readonly releases: readonly HeldRelease[];
  /** The newest log. */
  readonly heldLog: HeldLog | undefined;
}

/**
 * A release that is being downloaded, and what the rules of a verifier have accepted of it. What they refuse ends the
 * download.
 */
export class Candidate {
  readonly options: MirrorOptions;
  /** The new folder of the release. */
  readonly folder: string;
  readonly held: HeldRelease | undefined;
  readonly heldLog: HeldLog | undefined;
  /** The verified log. Undefined before it has been verified, or if the registry has none. */
  log: CheckedLog | undefined;
  /** The report about the release being served, if the source still serves that one, and it is intact. */
  heldReport: TreeReport | undefined;
  /** When the newest delegation was signed that was accepted under the same root key, in milliseconds since 1970. */
  delegatedAt: number | undefined;
  /** A note for each file that is left out. */
  leftOut: readonly Note[] = [];
  readonly #conditions: AcceptOptions;
  /** Whether a file has been verified, by the download or for the release being served. */
  #isVerified: ((path: string) => boolean) | undefined;

  /** @param folder - the new folder of the release, on the file system of the mirror */
  constructor(options: MirrorOptions, folder: string, { held, releases, heldLog }: AcceptedBefore) {
    this.options = options;
    this.folder = folder;
    this.held = held;
    this.heldLog = heldLog;
    const accepted = releases.flatMap((release) => release.stored() ?? []);
    this.#conditions = { trust: options.trust, maxAgeMs: options.maxAgeDays * DAY_MS, accepted };
  }

  get #tree(): TreeSource {
    return folderSource(this.folder);
  }

  /**
   * Applies all rules to the release being served, which the source still serves.
   *
   * @returns whether the release is intact, and the download is not needed
   */
  async acceptHeld(): Promise<boolean> {
    const { held, heldLog } = this;
    if (held === undefined) return false;
    // Signatures that were verified under the same root key are not verified again. Bytes are: a disk can damage them.
    const isKept = heldLog?.release === held ? isLoggedStatement : undefined;
    try {
      const tree = folderSource(held.folder);
      await this.#acceptLog(tree, isKept);
      await acceptPublication(tree, this.#conditions);
      this.heldReport = await this.#verify(held.folder);
      return true;
    } catch (error) {
      // The download shows whether this disk or the source is at fault.
      if (error instanceof TreeRejected || error instanceof IoFailed) return false;
      throw error;
    }
  }

  /** Accepts the statements in the folder, before anything that they name is downloaded. */
  acceptStatements(): Promise<SummedStatements> {
    return acceptStatements(this.#tree, this.#conditions);
  }

  /**
   * Accepts the log in the folder, with the lists that it names.
   *
   * @param isVerified - whether a file of the log has been verified, by the download or for the release being served
   */
  acceptLog(isVerified: (path: string) => boolean): Promise<void> {
    this.#isVerified = isVerified;
    return this.#acceptLog(this.#tree, isVerified);
  }

  async #acceptLog(tree: TreeSource, isVerified: ((path: string) => boolean) | undefined): Promise<void> {
    this.log = await auditLog(tree, this.options.trust.rootKey, { head: this.heldLog?.head, isVerified });
  }

  /** Accepts the publication, once all files that decide about trust are in the folder. */
  async acceptPublication(): Promise<Proven<Publication>> {
    const publication = await acceptPublication(this.#tree, this.#conditions);
    this.delegatedAt = publication.delegatedAt;
    return publication;
  }

  /** Verifies the whole release. @throws {@link TreeRejected} */
  async verified(): Promise<TreeReport> {
    return this.heldReport ?? this.#verify(this.folder, this.#isVerified);
  }

  async #verify(folder: string, isVerified?: (path: string) => boolean): Promise<TreeReport> {
    const { trust, maxAgeDays } = this.options;
    const source = { ...folderSource(folder), withoutHostFiles: true };
    const maxAge = (maxAgeDays * DAY_MS) / 1000;
    const options = { ...trust, checkedLog: this.log, isVerified, maxAge };
    const report = await verifyTree(source, trust.rootKey, options);
    if (report.ok) return report;
    const problems = report.checks.flatMap(({ problems, result }) => (result === 'failed' ? problems : []));
    throw new TreeRejected(problems.join('; '));
  }
}
