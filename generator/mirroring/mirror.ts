import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { StoredPublication } from '@passport-registry/verifier';
import { GeneratorError, IoFailed, TreeRejected } from '../errors.js';
import { withOutputLock } from '../files/output-lock.js';
import { readIfThere } from '../files/read-file.js';
import { filesBelow } from '../files/walk.js';
import { CHECKSUMS_PATH, sha256 } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { acceptStatements } from '../verification/accept-statements.js';
import { assertAcceptable } from '../verification/assert-acceptable.js';
import { auditLog } from '../verification/audit-log.js';
import type { PinnedTrust } from '../verification/pinned-trust.js';
import { folderSource } from '../verification/tree-source.js';
import { type TreeReport, type VerifyOptions, verifyTree } from '../verification/verify.js';
import type { CheckedLog } from '../verification/verify-log.js';
import { download } from './download.js';
import type { AcceptanceRules, DownloadTarget, TransferStats } from './download-target.js';
import { readHeldLog } from './held-log.js';
import { HeldRelease } from './held-release.js';
import { Releases } from './releases.js';

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
  /** What expires soon, in words. */
  readonly warnings: readonly string[];
}

/** How often to download a source that may have changed during the download. */
const MAX_ATTEMPTS = 3;
/** The pause between two attempts. A publication takes less time. */
const RETRY_DELAY_MS = 1000;

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
  const serving = releases.current();
  const held = serving === undefined ? undefined : new HeldRelease(releases.path(serving));
  const known = releases.newestFirst().map((name) => new HeldRelease(releases.path(name)));
  const publications = known.flatMap((release) => release.stored() ?? []);
  const heldLog = await readHeldLog(known, options.trust.rootKey);
  const fresh = join(staging, 'tree');
  const { stats, report } = await downloadVerified(options, { folder: fresh, held, heldLog }, publications);
  const { updatedAt = '', sha256: hash = '', issuers = 0, warnings } = report;
  const base = releaseName(fresh, updatedAt);
  const isSameTree = serving !== undefined && releases.baseOf(serving) === base;
  const repaired = isSameTree && held !== undefined ? damagedFiles(held, fresh) : [];
  const switched = !isSameTree;
  if (switched || repaired.length > 0)
    releases.switchTo(fresh, repaired.length > 0 ? releases.unused(base) : base);
  return { ...stats, switched, updatedAt, sha256: hash, issuers, repaired, warnings };
}

async function downloadVerified(
  { source, trust, maxAgeDays, env }: MirrorOptions,
  target: Pick<DownloadTarget, 'folder' | 'held' | 'heldLog'>,
  publications: readonly StoredPublication[],
): Promise<{ stats: TransferStats; report: TreeReport }> {
  const { folder, heldLog } = target;
  const [tree, conditions] = [folderSource(folder), { trust, maxAgeDays, held: publications }];
  let checkedLog: CheckedLog | undefined;
  const rules: AcceptanceRules = {
    acceptStatements: () => acceptStatements(tree, conditions),
    acceptLog: async (isVerified) => {
      checkedLog = await auditLog(tree, trust.rootKey, { head: heldLog?.head, isVerified });
    },
    acceptPublication: () => assertAcceptable(tree, conditions),
  };
  let failure = '';
  for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
    if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, RETRY_DELAY_MS));
    try {
      const stats = await download(source, { ...target, trust, rules, env });
      return { stats, report: await verifyFolder(folder, { trust, maxAgeDays, checkedLog }) };
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
      failure = error.message;
    }
  }
  throw new TreeRejected(`${source} was not accepted: ${failure.slice(0, 500)}`);
}

async function verifyFolder(
  folder: string,
  {
    trust,
    maxAgeDays,
    checkedLog,
  }: Pick<MirrorOptions, 'trust' | 'maxAgeDays'> & Pick<VerifyOptions, 'checkedLog'>,
): Promise<TreeReport> {
  const source = { ...folderSource(folder), withoutHostFiles: true };
  const { rootKey, requireCheckpoint, requirePublication } = trust;
  const required = { requireCheckpoint, requirePublication, checkedLog };
  const report = await verifyTree(source, rootKey, { ...required, maxAge: maxAgeDays * 24 * 60 * 60 });
  if (report.ok) return report;
  const problems = report.checks.flatMap(({ problems, result }) => (result === 'failed' ? problems : []));
  throw new TreeRejected(problems.join('; '));
}

/** Returns the files of the release being served that are damaged, compared with a new copy of the same tree. */
function damagedFiles(held: HeldRelease, fresh: string): string[] {
  return filesBelow(fresh).filter((path) => {
    // Only intact files have been linked.
    if (held.isLinked(path, fresh)) return false;
    return readIfThere(held.folder, path)?.equals(readFileSync(join(fresh, path))) !== true;
  });
}

/** Names a release. Names sort by time, and the same bytes have the same name. */
function releaseName(folder: string, updatedAt: string): string {
  // The head of the log and its proof can get new cosignatures, and a publication can be in the log alone.
  const content = [CHECKSUMS_PATH, PATHS.checkpoint, PATHS.logHead, PATHS.logProof].map(
    (path) => readIfThere(folder, path) ?? Buffer.alloc(0),
  );
  return `${updatedAt.replaceAll(/[-:]/g, '')}-${sha256(Buffer.concat(content)).slice(0, 16)}`;
}
