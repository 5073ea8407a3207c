import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { SignedHead } from '@passport-registry/verifier/core';
import { GeneratorError, IoFailed, TreeRejected } from '../../generator/errors.js';
import { withLock } from '../../generator/files/lock.js';
import { withTemporaryFolder } from '../../generator/files/temporary-folder.js';
import type { Note } from '../../generator/verification/unknown-parts.js';
import { Candidate, type CandidateOptions } from './candidate.js';
import { downloadVerified } from './download.js';
import { HeldRelease } from './held-release.js';
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
  /** Whether the release being served was damaged on this disk, and has been replaced. */
  readonly repaired: boolean;
  /** The log of the registry. Undefined if there is none. */
  readonly log: Pick<SignedHead, 'origin' | 'size'> | undefined;
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
  const folder = join(staging, 'tree');
  const candidate = new Candidate(options, folder, { held, releases: accepted });
  const { stats, report, log, isHeld } = await downloadVerified(candidate).catch((error) => {
    if (!(error instanceof TreeRejected)) throw error;
    throw new TreeRejected(`${options.source} was not accepted: ${error.message.slice(0, 500)}`);
  });
  const { updatedAt = '', sha256: hash = '', issuers = 0 } = report;
  const base = releaseName(folder, updatedAt);
  const switched = !isHeld && (serving === undefined || releases.baseOf(serving) !== base);
  const repaired = !isHeld && !switched;
  // A release that is damaged, or has an additional file, is replaced as a whole.
  if (!isHeld) await releases.switchTo(folder, switched ? base : releases.unused(base));
  return {
    ...stats,
    switched,
    updatedAt,
    sha256: hash,
    issuers,
    repaired,
    log: log && { origin: log.head.origin, size: log.head.size },
    warnings: report.warnings,
    notes: report.notes,
  };
}
