import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { SignedHead } from '@passport-registry/verifier/core';
import { GeneratorError, IoFailed, TreeRejected } from '../../generator/errors.js';
import { withLock } from '../../generator/files/lock.js';
import { readIfReadable } from '../../generator/files/read-file.js';
import { withTemporaryFolder } from '../../generator/files/temporary-folder.js';
import { filesBelow } from '../../generator/files/walk.js';
import type { Note } from '../../generator/verification/unknown-parts.js';
import { Candidate, type CandidateOptions } from './candidate.js';
import { downloadVerified } from './download.js';
import { HeldRelease, readHeldLog } from './held-release.js';
import type { TransferStats } from './new-release.js';
import { Releases, releaseName } from './releases.js';

/** Options of `mirrorOnce`. */
interface MirrorOptions extends CandidateOptions {
  /** The folder of the mirror. A host serves `current` in it. */
  readonly folder: string;
}

/** The report of one run. */
export interface MirrorReport extends TransferStats {
  /** Whether the mirror now serves another tree. */
  readonly switched: boolean;
  readonly updatedAt: string;
  /** SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string;
  readonly issuers: number;
  /** Files of the release being served that were damaged on this disk and have been repaired. */
  readonly repaired: readonly string[];
  /**
   * The log of the registry, and whether its newest publication is only in the log: the published files are still those
   * before it. Undefined if there is none.
   */
  readonly log: (Pick<SignedHead, 'origin' | 'size'> & { readonly isPending: boolean }) | undefined;
  /** What expires soon, in words. */
  readonly warnings: readonly string[];
  /** What this version does not know. Unlisted files and unknown members of statements.json were left out. */
  readonly notes: readonly Note[];
}

/**
 * Mirrors a source once: downloads new files next to the release being served, verifies everything under the pinned
 * root key, applies the rules of a verifier that holds the release being served, and switches with one rename. If
 * anything fails, the mirror serves the same release as before.
 *
 * @throws {@link TreeRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function mirrorOnce(options: MirrorOptions): Promise<MirrorReport> {
  try {
    mkdirSync(options.folder, { recursive: true });
    const releases = new Releases(options.folder);
    const served = join(options.folder, 'current');
    return await withLock(served, () =>
      withTemporaryFolder(served, (staging) => mirrorLocked(options, releases, staging)),
    );
  } catch (cause) {
    if (cause instanceof GeneratorError) throw cause;
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw new IoFailed(`${options.folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

async function mirrorLocked(
  options: MirrorOptions,
  releases: Releases,
  staging: string,
): Promise<MirrorReport> {
  const serving = releases.current();
  const accepted = releases.newestFirst().map((name) => new HeldRelease(releases.path(name)));
  const held = serving === undefined ? undefined : accepted[0];
  const before = { held, releases: accepted, heldLog: await readHeldLog(accepted, options.trust.rootKey) };
  const folder = join(staging, 'tree');
  const candidate = new Candidate(options, folder, before);
  const { stats, report, log, isHeld } = await downloadVerified(candidate).catch((error) => {
    if (!(error instanceof TreeRejected)) throw error;
    throw new TreeRejected(
      `${options.source} was not accepted: ${error.message.slice(0, 500)}. If the next run fails too, tell the operator of the registry`,
    );
  });
  const { updatedAt = '', sha256: hash = '', issuers = 0 } = report;
  const base = releaseName(folder, updatedAt);
  const switched = !isHeld && (serving === undefined || releases.baseOf(serving) !== base);
  const repaired = isHeld || switched || held === undefined ? [] : damagedFiles(held, folder);
  // A copy of the release being served that is damaged, or has a file too many, is replaced as a whole.
  if (!isHeld) await releases.switchTo(folder, switched ? base : releases.unused(base));
  return {
    ...{ ...stats, switched, updatedAt, sha256: hash, issuers, repaired },
    log: log && {
      origin: log.head.origin,
      size: log.head.size,
      isPending: log.pendingList !== undefined,
    },
    warnings: report.warnings,
    notes: report.notes,
  };
}

/** Returns the files of the release being served that are damaged, compared with a new copy of the same tree. */
function damagedFiles(held: HeldRelease, fresh: string): string[] {
  return filesBelow(fresh).filter((path) => {
    // Only intact files have been linked.
    if (held.isLinked(path, fresh)) return false;
    return readIfReadable(held.folder, path)?.equals(readFileSync(join(fresh, path))) !== true;
  });
}
