import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { GeneratorError, IoFailed } from '../../generator/errors.js';
import { withOutputLock } from '../../generator/files/output-lock.js';
import { readIfThere } from '../../generator/files/read-file.js';
import { filesBelow } from '../../generator/files/walk.js';
import type { Note } from '../../generator/verification/unknown-parts.js';
import type { CheckedLog } from '../../generator/verification/verify-log.js';
import type { CosignedHead } from '../witnessing/witness-state.js';
import type { TransferStats } from './download-target.js';
import { HeldRelease } from './held-release.js';
import { releaseName } from './release-name.js';
import { Releases } from './releases.js';
import { cosignVerified, keepCosigned, serveCosigned, type Testimony, testimonyOf } from './testify.js';
import { downloadVerified, type MirrorOptions } from './verified-download.js';

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
  /** The log of the registry. Undefined if it has none. */
  readonly log: MirroredLog | undefined;
  /** What the mirror has cosigned. Undefined if it is no witness, or if there is no log. */
  readonly testimony: Testimony | undefined;
  /** What expires soon, and what could not be done, in words. */
  readonly warnings: readonly string[];
  /** What this version does not know. Unlisted files were left out. */
  readonly notes: readonly Note[];
}

/** The log that a mirror serves. */
export interface MirroredLog {
  readonly origin: string;
  /** The number of entries. */
  readonly size: number;
  /** Whether the newest publication is only in the log, and the published files are still those before it. */
  readonly isPending: boolean;
}

/**
 * Mirrors a source once: downloads new files next to the release being served, verifies everything under the pinned
 * root key, applies the rules of a verifier that holds the release being served, and switches with one rename. If
 * anything fails, the mirror serves the same release as before. A witness cosigns the log as soon as it is verified.
 *
 * @throws {@link TreeRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function mirrorOnce(options: MirrorOptions): Promise<MirrorReport> {
  try {
    mkdirSync(options.folder, { recursive: true });
    const releases = new Releases(options.folder);
    return await withOutputLock(join(options.folder, 'current'), (staging) =>
      mirrorLocked(options, releases, staging),
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
  const { witness } = options;
  const serving = releases.current();
  const accepted = releases.newestFirst().map((name) => new HeldRelease(releases.path(name)));
  const held = serving === undefined ? undefined : accepted[0];
  const fresh = join(staging, 'tree');
  const [temporary, folders] = [join(staging, 'cosigned'), held === undefined ? [] : [held.folder]];
  let cosigned: CosignedHead | undefined;
  const onLog = async (log: CheckedLog) => {
    if (witness === undefined) return;
    cosigned = await cosignVerified(witness, log);
    // At once: a publication that waits for this cosignature is not published yet.
    for (const release of folders) serveCosigned(release, cosigned, temporary);
  };
  const accepting = { folder: fresh, held, accepted, onLog };
  const { stats, report, log, isHeld, warnings, notes } = await downloadVerified(options, accepting);
  const { updatedAt = '', sha256: hash = '', issuers = 0 } = report;
  const base = releaseName(fresh, updatedAt);
  const switched = !isHeld && (serving === undefined || releases.baseOf(serving) !== base);
  const repaired = isHeld || switched || held === undefined ? [] : damagedFiles(held, fresh);
  if (switched || repaired.length > 0) {
    if (cosigned !== undefined) serveCosigned(fresh, cosigned, temporary);
    else if (log !== undefined) keepCosigned(held, fresh, log.head.origin);
    releases.switchTo(fresh, repaired.length > 0 ? releases.unused(base) : base);
  }
  return {
    ...{ ...stats, switched, updatedAt, sha256: hash, issuers, repaired },
    log: log && mirroredLog(log),
    testimony: witness && cosigned && testimonyOf(witness, cosigned),
    warnings: [
      ...report.warnings,
      ...warnings,
      ...(witness !== undefined && log === undefined ? [NOTHING_TO_COSIGN] : []),
    ],
    notes,
  };
}

const NOTHING_TO_COSIGN = 'the registry has no log, so there is nothing to cosign';

const mirroredLog = ({ head: { origin, size }, pendingList }: CheckedLog): MirroredLog => ({
  ...{ origin, size, isPending: pendingList !== undefined },
});

/** Returns the files of the release being served that are damaged, compared with a new copy of the same tree. */
function damagedFiles(held: HeldRelease, fresh: string): string[] {
  return filesBelow(fresh).filter((path) => {
    // Only intact files have been linked.
    if (held.isLinked(path, fresh)) return false;
    return readIfThere(held.folder, path)?.equals(readFileSync(join(fresh, path))) !== true;
  });
}
