import { mkdirSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  DAY_MS,
  formatNote,
  type Proven,
  type Publication,
  type SummedStatements,
} from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { flushFolder } from '../../generator/files/flush.js';
import { PATHS } from '../../generator/tree/paths.js';
import {
  type AcceptOptions,
  ANY_AGE_MS,
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
import { type Cosigner, cosignHead } from '../witnessing/cosign-head.js';
import type { CosignedHead } from '../witnessing/witness-state.js';
import type { HeldLog, HeldRelease } from './held-release.js';

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
  /** The head that the mirror has cosigned, if it is a witness. */
  cosigned: CosignedHead | undefined;
  /** The report about the release being served, if the source still serves that one, and it is intact. */
  heldReport: TreeReport | undefined;
  /** When the newest delegation was signed that was accepted under the same root key, in milliseconds since 1970. */
  delegatedAt: number | undefined;
  /** A note for each file that is left out. */
  leftOut: readonly Note[] = [];
  readonly #conditions: AcceptOptions;
  readonly #staging: string;

  /** @param staging - a temporary folder on the file system of the mirror */
  constructor(options: MirrorOptions, staging: string, { held, releases, heldLog }: AcceptedBefore) {
    this.options = options;
    this.held = held;
    this.heldLog = heldLog;
    const accepted = releases.flatMap((release) => release.stored() ?? []);
    this.#conditions = { trust: options.trust, maxAgeMs: options.maxAgeDays * DAY_MS, accepted };
    this.#staging = staging;
    this.folder = join(staging, 'tree');
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
      await this.#acceptLogOf(folderSource(held.folder), isKept);
      await acceptPublication(folderSource(held.folder), this.#conditions);
      this.heldReport = await this.#verify(held.folder);
      return true;
    } catch (error) {
      // The download shows whether this disk or the source is at fault.
      if (error instanceof TreeRejected || error instanceof IoFailed) return false;
      throw error;
    }
  }

  /**
   * Accepts the statements in the folder, before records are downloaded. A log can be cosigned even if the list is too old,
   * or lacks cosignatures: a publication may be waiting for this one. The rules for the publication, which are applied last,
   * demand both.
   */
  acceptStatements(): Promise<SummedStatements> {
    const { witness, trust } = this.options;
    return acceptStatements(this.#tree, {
      ...this.#conditions,
      ...(witness && { trust: withoutQuorum(trust), maxAgeMs: ANY_AGE_MS }),
    });
  }

  /**
   * Accepts the log in the folder, with the lists that it names. A witness cosigns it at once.
   *
   * @param isVerified - whether a file of the log has been verified, by the download or for the release being served
   */
  acceptLog(isVerified: (path: string) => boolean): Promise<void> {
    return this.#acceptLogOf(this.#tree, isVerified);
  }

  async #acceptLogOf(tree: TreeSource, isVerified?: (path: string) => boolean): Promise<void> {
    const { trust, witness } = this.options;
    this.log = await auditLog(tree, trust.rootKey, { head: this.heldLog?.head, isVerified });
    if (witness === undefined || this.log === undefined) return;
    const { head, key, tree: entries } = this.log;
    const prove = ({ size }: { readonly size: number }) => entries.proofFrom(size);
    // The head is on the disk, in the state of the witness, before it is served (rule mirror-cosigns).
    this.cosigned = await cosignHead(witness, { head, logKeys: [key], prove });
    // At once: a publication that waits for this cosignature is not published yet.
    if (this.held !== undefined) this.serveCosigned(this.held.folder);
  }

  /**
   * Puts the head that the mirror has cosigned into a release, if there is one. It is put there with one rename: readers see
   * the old file or the new one.
   */
  serveCosigned(release: string): void {
    if (this.cosigned === undefined) return;
    const { note, origin } = this.cosigned.head;
    const temporary = join(this.#staging, 'cosigned');
    const file = join(release, PATHS.cosignedHead(origin));
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(temporary, formatNote(note), { mode: 0o644, flush: true });
    renameSync(temporary, file);
    flushFolder(dirname(file));
  }

  /** Accepts the publication, once all files that decide about trust are in the folder. */
  async acceptPublication(): Promise<Proven<Publication>> {
    const publication = await acceptPublication(this.#tree, this.#conditions);
    this.delegatedAt = publication.delegatedAt;
    return publication;
  }

  /** Verifies the whole release. @throws {@link TreeRejected} */
  async verified(): Promise<TreeReport> {
    return this.heldReport ?? this.#verify(this.folder);
  }

  async #verify(folder: string): Promise<TreeReport> {
    const { trust, maxAgeDays } = this.options;
    const source = { ...folderSource(folder), withoutHostFiles: true };
    const maxAge = (maxAgeDays * DAY_MS) / 1000;
    const options = { ...trust, checkedLog: this.log, maxAge };
    const report = await verifyTree(source, trust.rootKey, options);
    if (report.ok) return report;
    const problems = report.checks.flatMap(({ problems, result }) => (result === 'failed' ? problems : []));
    throw new TreeRejected(problems.join('; '));
  }
}

/**
 * Returns what a mirror demands of a log before it cosigns: no cosignatures of others. If each witness waited for the others,
 * nobody would begin. Before the mirror serves anything, it demands them.
 */
function withoutQuorum({ log, ...trust }: PinnedTrust): PinnedTrust {
  return { ...trust, log: log.log === undefined ? {} : { log: log.log } };
}
