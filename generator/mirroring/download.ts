import { mkdirSync, rmSync } from 'node:fs';
import { type PublicationStatement, sumsPath } from '@passport-registry/verifier/internal';
import { IoFailed, TreeRejected } from '../errors.js';
import { CHECKSUMS_PATH, parseChecksums } from '../tree/checksums.js';
import { PATHS } from '../tree/paths.js';
import { httpSource, type TreeSource } from '../verification/tree-source.js';
import { makeChanges } from './changes.js';
import type { DownloadTarget, TransferStats } from './download-target.js';
import { NewRelease, type StatedFile } from './new-release.js';
import { downloadRecords } from './records.js';
import { downloadByRsync } from './rsync.js';

/** How many lists to request at a time. Lists are large, and stay in memory until their hashes have been checked. */
const LARGE_CONCURRENCY = 2;

/**
 * Downloads the tree of a source into a new folder. Files that the release being served already has are hard-linked,
 * not downloaded.
 *
 * @throws {@link TreeRejected} if files of the source are missing or do not match their hashes; {@link IoFailed}
 */
export function download(source: string, target: DownloadTarget): Promise<TransferStats> {
  rmSync(target.folder, { recursive: true, force: true });
  mkdirSync(target.folder, { recursive: true });
  return /^https?:\/\//i.test(source)
    ? downloadByHttp(httpSource(source), target)
    : downloadByRsync(source, target);
}

/** Writes a file only after its hash has been checked. The first wrong hash ends the download. */
async function downloadByHttp(source: TreeSource, target: DownloadTarget): Promise<TransferStats> {
  const release = new NewRelease(source, target);
  const files = await downloadChecksums(release);
  const only = (isWanted: (path: string) => boolean) => files.filter(({ path }) => isWanted(path));
  await release.addAll(only(isStatement));
  // After the files that it names. If a publication happened in between, the checkpoint is for another tree.
  await release.fetchUnlisted(PATHS.checkpoint);
  if (files.some(({ path }) => path === PATHS.publication)) {
    const statement = await target.rules.acceptStatements();
    assertSamePublication(statement, files);
    const records = await downloadRecords(release, statement);
    if (target.held !== undefined)
      makeChanges(release, target.held, { updatedAt: statement.updatedAt, records, files });
  }
  await release.addAll(only((path) => path === PATHS.list));
  await release.addAll(only(isSnapshot), LARGE_CONCURRENCY);
  await target.rules.acceptPublication();
  await release.addAll(only((path) => !isStatement(path) && path !== PATHS.list && !isSnapshot(path)));
  return release.stats();
}

/** The small files that verifiers read before the list, apart from the checkpoint. */
const STATEMENTS: readonly string[] = [
  PATHS.publication,
  PATHS.signature,
  PATHS.rootKey,
  PATHS.rotation,
  PATHS.delegation,
];

const isStatement = (path: string) => STATEMENTS.includes(path);

const isSnapshot = (path: string) => path.startsWith('snapshots/');

async function downloadChecksums(release: NewRelease): Promise<readonly StatedFile[]> {
  const bytes = await release.fetchUnlisted(CHECKSUMS_PATH);
  const sums = bytes && parseChecksums(Buffer.from(bytes).toString('utf8'));
  if (sums === undefined) {
    throw new IoFailed(`${release.sourceName} has no ${CHECKSUMS_PATH}: there is no registry to mirror`);
  }
  return [...sums].map(([path, hash]) => ({ path, hash, statedIn: CHECKSUMS_PATH }));
}

/** SHA256SUMS is not signed, and may be of another publication than the statement. */
function assertSamePublication(
  { sha256, sumsSha256 }: PublicationStatement,
  files: readonly StatedFile[],
): void {
  const states = (wanted: string, expected: string) =>
    files.some(({ path, hash }) => path === wanted && hash === expected);
  if (states(PATHS.list, sha256) && states(sumsPath(''), sumsSha256)) return;
  throw new TreeRejected(`${CHECKSUMS_PATH} and ${PATHS.publication} are not of the same publication`);
}
