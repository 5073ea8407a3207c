import type { AcceptedStatements } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import {
  type AcceptedHead,
  type AcceptOptions,
  acceptedHead,
  acceptStatements,
} from '../../generator/verification/accept.js';
import type { CheckedLog } from '../../generator/verification/check-log.js';
import type { PinnedTrust } from '../../generator/verification/pinned-trust.js';
import { folderSource, type TreeSource } from '../../generator/verification/tree-source.js';
import { auditTree, type TreeReport } from '../../generator/verification/verify.js';
import type { HeldRelease } from './held-release.js';

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
}

/** What an audit of a whole tree has found. */
export interface AuditedTree {
  readonly report: TreeReport;
  /** Undefined if the registry has no log. */
  readonly log: CheckedLog | undefined;
}

/** A release that is being downloaded, and the rules that it must satisfy. What they refuse ends the download. */
export class Candidate {
  readonly source: string;
  /** The new folder of the release. */
  readonly folder: string;
  readonly held: HeldRelease | undefined;
  readonly #accept: AcceptOptions;

  /** @param folder - the new folder of the release, on the file system of the mirror */
  constructor(
    { source, trust, anyAge = false }: CandidateOptions,
    folder: string,
    { held, releases }: AcceptedBefore,
  ) {
    this.source = source;
    this.folder = folder;
    this.held = held;
    const accepted = releases.flatMap((release) => release.stored() ?? []);
    this.#accept = { trust, expiry: !anyAge, accepted };
  }

  /** Accepts the statements of a source, as a verifier does that has accepted the earlier releases. */
  acceptStatements(source: TreeSource): Promise<AcceptedStatements> {
    return acceptStatements(source, this.#accept);
  }

  /** The head of the log that was accepted last, which the log of the release must contain. */
  acceptedHead(): Promise<AcceptedHead | undefined> {
    return acceptedHead(this.#accept);
  }

  /** Audits the release being served. Undefined if there is none, or if it is damaged. */
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
   * Audits a whole tree.
   *
   * @throws {@link TreeRejected} | {@link IoFailed}
   */
  async audit(folder: string): Promise<AuditedTree> {
    const { trust, expiry } = this.#accept;
    const source = { ...folderSource(folder), withoutHostFiles: true };
    const { report, log } = await auditTree(source, trust.rootKey, { log: trust.log });
    const failed = report.checks.filter(
      ({ name, result }) => result === 'failed' && (expiry || name !== 'freshness'),
    );
    if (failed.length === 0) return { report, log };
    throw new TreeRejected(failed.flatMap(({ problems }) => problems).join('; '));
  }
}
