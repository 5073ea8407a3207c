import type { AcceptedStatements } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { acceptStatements } from '../../generator/verification/accept.js';
import { auditLog } from '../../generator/verification/audit-log.js';
import type { CheckedLog } from '../../generator/verification/check-log.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { folderSource, type TreeSource } from '../../generator/verification/tree-source.js';
import { type TreeReport, verifyTree } from '../../generator/verification/verify.js';
import type { HeldLog, HeldRelease } from './held-release.js';

/** What is downloaded, and under which trust. */
export interface CandidateOptions {
  /** A URL with http or https, or a folder. */
  readonly source: string;
  readonly trust: PinnedTrust;
  /** Whether an expired checkpoint is accepted: an operator signs the next one. Default: it is refused. */
  readonly anyAge?: boolean;
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

/** What an audit of a whole tree has found. */
export interface AuditedTree {
  readonly report: TreeReport;
  /** Undefined if the registry has no log. */
  readonly log: CheckedLog | undefined;
}

/** A release that is being downloaded, and the rules that it must satisfy. What they refuse ends the download. */
export class Candidate {
  readonly options: CandidateOptions;
  /** The new folder of the release. */
  readonly folder: string;
  readonly held: HeldRelease | undefined;
  readonly heldLog: HeldLog | undefined;
  readonly #releases: readonly HeldRelease[];

  /** @param folder - the new folder of the release, on the file system of the mirror */
  constructor(options: CandidateOptions, folder: string, { held, releases, heldLog }: AcceptedBefore) {
    this.options = options;
    this.folder = folder;
    this.held = held;
    this.heldLog = heldLog;
    this.#releases = releases;
  }

  /** Accepts the statements of a source, as a verifier does that has accepted the earlier releases. */
  acceptStatements(source: TreeSource): Promise<AcceptedStatements> {
    const accepted = this.#releases.flatMap((release) => release.stored() ?? []);
    const { trust, anyAge = false } = this.options;
    return acceptStatements(source, { trust, expiry: !anyAge, accepted });
  }

  /** Audits the release being served. Undefined if there is none, or if it is damaged: the download shows what is at fault. */
  async auditHeld(): Promise<AuditedTree | undefined> {
    if (this.held === undefined) return undefined;
    try {
      return await this.audit(this.held.folder);
    } catch (error) {
      if (error instanceof TreeRejected || error instanceof IoFailed) return undefined;
      throw error;
    }
  }

  /**
   * Audits a whole tree. Its log must contain the log that was accepted before.
   *
   * @param isVerified - whether a file of the log has been verified, by the download or for the release being served
   * @throws {@link TreeRejected} | {@link IoFailed}
   */
  async audit(folder: string, isVerified?: (path: string) => boolean): Promise<AuditedTree> {
    const { anyAge = false, trust } = this.options;
    const { rootKey, log: pinnedLog } = trust;
    const tree = folderSource(folder);
    const log = await auditLog(tree, rootKey, { head: this.heldLog?.head, isVerified });
    const source = { ...tree, withoutHostFiles: true };
    const report = await verifyTree(source, rootKey, { log: pinnedLog, checkedLog: log });
    const failed = report.checks.filter(
      ({ name, result }) => result === 'failed' && !(anyAge && name === 'freshness'),
    );
    if (failed.length === 0) return { report, log };
    throw new TreeRejected(failed.flatMap(({ problems }) => problems).join('; '));
  }
}
