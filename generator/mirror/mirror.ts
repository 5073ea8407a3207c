import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { RegistryError, type RootKey, walkRotation } from '@passport-registry/verifier';
import { CHECKSUMS_PATH, sha256 } from '../checksums.js';
import { GeneratorError, IoFailed, TreeRejected } from '../errors.js';
import { PATHS } from '../paths.js';
import { readPublished, rootKeyOf, updatedAtOf } from '../published.js';
import { withStaging } from '../staging.js';
import { folderSource } from '../tree-source.js';
import { verifyTree } from '../verify.js';
import { type Brought, bring } from './bring.js';
import { Releases } from './releases.js';

/** What to mirror, and where to. */
export interface MirrorOptions {
  /** An https address, or what rsync takes: `rsync://host/module`, `host:folder`, a folder. */
  readonly source: string;
  /** The folder of the mirror. A host serves `current` in it. */
  readonly folder: string;
  /** The root key that is trusted, or one that its rotation has left. */
  readonly rootKey: RootKey;
  /** Largest age of a list that has no checkpoint, in days. */
  readonly maxAge: number;
}

/** What a run did. */
export interface MirrorReport extends Brought {
  /** Whether another tree is served than before. */
  readonly switched: boolean;
  readonly updatedAt: string;
  /** SHA-256 of the list, lower-case hexadecimal. */
  readonly sha256: string;
  readonly issuers: number;
  /** What soon will expire, in words. */
  readonly warnings: readonly string[];
}

/** How often a source is read that may have changed meanwhile. */
const TRIES = 3;
/** Between two tries, in milliseconds: a publication takes less. */
const PAUSE = 1000;
const DAY = 24 * 60 * 60 * 1000;

/**
 * Takes over what a source publishes, once: brings it beside what is served, verifies everything under the pinned root key,
 * refuses what is older or stale, and switches by one rename. Whatever goes wrong, what was served stays.
 *
 * @throws {@link TreeRejected} | {@link IoFailed} | {@link UsageError}
 */
export async function mirrorOnce(options: MirrorOptions): Promise<MirrorReport> {
  try {
    mkdirSync(options.folder, { recursive: true });
    const releases = new Releases(options.folder);
    return await withStaging(join(options.folder, 'current'), (staging) => take(options, releases, staging));
  } catch (cause) {
    if (cause instanceof GeneratorError) throw cause;
    if ((cause as NodeJS.ErrnoException).syscall === undefined) throw cause;
    throw new IoFailed(`${options.folder} cannot be written: ${(cause as Error).message}`, { cause });
  }
}

async function take(options: MirrorOptions, releases: Releases, staging: string): Promise<MirrorReport> {
  const serving = releases.current();
  const before = serving === undefined ? undefined : releases.path(serving);
  const fresh = join(staging, 'tree');
  const { brought, report } = await bringGood(options, fresh, before);
  const { updatedAt = '', sha256: hash = '', issuers = 0, warnings } = report;
  if (!existsSync(join(fresh, PATHS.checkpoint))) refuseStale(updatedAt, options.maxAge);
  if (before !== undefined) await refuseRollback(before, updatedAt, hash);
  const name = releaseName(fresh, updatedAt);
  const switched = name !== serving;
  if (switched) releases.switchTo(fresh, name);
  return { ...brought, switched, updatedAt, sha256: hash, issuers, warnings };
}

async function bringGood({ source, rootKey }: MirrorOptions, folder: string, before: string | undefined) {
  // Trust starts at the key of what is served, to which the pinned one has led: a key that was left is not taken again.
  const trusted = before === undefined ? rootKey : await currentRoot(before, rootKey);
  let failure = '';
  for (let attempt = 1; attempt <= TRIES; attempt++) {
    if (attempt > 1) await new Promise((resolve) => setTimeout(resolve, PAUSE));
    const brought = await bring(source, folder, before);
    const report = await verifyTree(
      { ...folderSource(folder), withoutHostFiles: true },
      await currentRoot(folder, trusted),
    );
    if (report.ok) return { brought, report };
    failure = report.checks
      .flatMap(({ problems, result }) => (result === 'failed' ? problems : []))
      .join('; ');
  }
  throw new TreeRejected(`${source} is not good: ${failure.slice(0, 500)}`);
}

/** The key that the pinned one has led to, by the rotation of the tree (SPEC B7). */
async function currentRoot(folder: string, pinned: RootKey): Promise<RootKey> {
  const published = existsSync(join(folder, PATHS.rootKey))
    ? await rootKeyOf(readFileSync(join(folder, PATHS.rootKey)))
    : undefined;
  const rotation = join(folder, PATHS.rotation);
  if (published?.thumbprint === pinned.thumbprint || !existsSync(rotation)) return pinned;
  try {
    return await walkRotation(pinned, readFileSync(rotation, 'utf8'));
  } catch (error) {
    // It leads nowhere from the pinned key, so that the verification fails under it.
    if (error instanceof RegistryError) return pinned;
    throw error;
  }
}

function refuseStale(updatedAt: string, maxAge: number): void {
  if (Date.now() - Date.parse(updatedAt) > maxAge * DAY) {
    throw new TreeRejected(
      `the list is of ${updatedAt}, more than ${maxAge} days old, and has no checkpoint`,
    );
  }
}

async function refuseRollback(before: string, updatedAt: string, hash: string): Promise<void> {
  const served = await readPublished(before);
  if (served?.list === undefined) return;
  const old = updatedAtOf(Buffer.from(served.list)) ?? '';
  if (updatedAt < old || (updatedAt === old && sha256(served.list) !== hash)) {
    throw new TreeRejected(`the source has a list of ${updatedAt}, and one of ${old} is served here already`);
  }
}

/** Sorted by time, and the same for the same bytes. */
function releaseName(folder: string, updatedAt: string): string {
  const checkpoint = join(folder, PATHS.checkpoint);
  const content = [
    readFileSync(join(folder, CHECKSUMS_PATH)),
    existsSync(checkpoint) ? readFileSync(checkpoint) : Buffer.alloc(0),
  ];
  return `${updatedAt.replaceAll(/[-:]/g, '')}-${sha256(Buffer.concat(content)).slice(0, 16)}`;
}
