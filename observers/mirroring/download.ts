import { mkdirSync, rmSync } from 'node:fs';
import { type PublicationStatement, type SummedStatements, sumsPath } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { CHECKSUMS_PATH, parseChecksums, sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { statementsFile } from '../../generator/tree/statements-file.js';
import { httpSource, type TreeSource } from '../../generator/verification/tree-source.js';
import { unprovenFile } from '../../generator/verification/unknown-parts.js';
import { makeChanges } from './changes.js';
import type { DownloadTarget, TransferStats } from './download-target.js';
import { MIRROR_LIMITS } from './limits.js';
import { type ListedFiles, listedFiles, unprovenFiles } from './listed-files.js';
import { downloadArchive } from './log-archive.js';
import { downloadHead, downloadLog } from './log-download.js';
import { NewRelease } from './new-release.js';
import { downloadRecords, makeRecords } from './records.js';
import { NAMING_FILES } from './release-name.js';
import { downloadByRsync } from './rsync.js';

/** How many lists to request at a time. Lists are large, and stay in memory until their hashes have been checked. */
const LARGE_CONCURRENCY = 2;
/** How many of the other files to request at a time. Only files that are complete count towards the limit of their size. */
const OTHER_CONCURRENCY = 4;

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

/** Writes a listed file only after its hash has been checked. The first wrong hash ends the download. */
async function downloadByHttp(source: TreeSource, target: DownloadTarget): Promise<TransferStats> {
  const release = new NewRelease(source, target);
  const files = await downloadChecksums(release);
  await release.addAll(files.statements);
  // After the files that it names. If a publication happened in between, the checkpoint is for another tree.
  await release.fetchUnlisted(PATHS.checkpoint);
  const operations = await target.rules.acceptOperations(() => release.fetch(PATHS.operations));
  if (operations !== undefined) release.addUnlisted(PATHS.operations, operations);
  const isStated = files.all.some(({ path }) => path === PATHS.publication);
  // Before the statements are accepted: the proof of the publication statement is a part of the log.
  const head = isStated ? await downloadHead(release, target) : undefined;
  if (release.hasSameAsHeld(NAMING_FILES) && (await target.rules.acceptHeld())) return release.stats();
  const log = head && (await downloadLog(release, head, target));
  const statement = isStated ? await downloadStated(release, files, target) : undefined;
  await release.addAll(files.list);
  await release.addAll(files.snapshots, { concurrency: LARGE_CONCURRENCY });
  if (log !== undefined && statement !== undefined)
    await downloadArchive(release, { log, statement: statement.text }, target.heldLog);
  await target.rules.acceptLog((path) => release.isVerified(path));
  const publication = await target.rules.acceptPublication();
  await makeRecords(release, files.records);
  await release.addAll(files.compressed, { concurrency: LARGE_CONCURRENCY });
  const unproven = unprovenFiles(
    files.all.map(({ path, hash }) => [path, hash]),
    { publication, checksums: release.read(CHECKSUMS_PATH), held: target.held },
  );
  target.rules.noteLeftOut(unproven.map(unprovenFile));
  const others = files.others.filter(({ path }) => !unproven.includes(path));
  await release.addAll(others, { concurrency: OTHER_CONCURRENCY, maxBytes: MIRROR_LIMITS.otherBytes });
  await addStatementsFile(release);
  return release.stats();
}

/** Makes `statements.json` of the verified files, if the source has such a file. */
async function addStatementsFile(release: NewRelease): Promise<void> {
  const isAtSource = await release.fetch(PATHS.statements).then(
    (bytes) => bytes !== undefined,
    // Nothing of it is used, so a host that does not send it is no reason to keep an older release.
    (error) => {
      if (error instanceof IoFailed) return true;
      throw error;
    },
  );
  if (!isAtSource) return;
  const file = statementsFile((path) => (release.includes(path) ? release.read(path) : undefined));
  if (file !== undefined) release.addUnlisted(PATHS.statements, file);
}

/** Downloads what the publication statement names, once the rules of a verifier accept it. */
async function downloadStated(
  release: NewRelease,
  files: ListedFiles,
  { rules, held }: DownloadTarget,
): Promise<PublicationStatement> {
  const statements = await rules.acceptStatements();
  const { statement } = statements;
  assertSamePublication(statements, release.read(CHECKSUMS_PATH), files);
  const records = await downloadRecords(release, statement);
  if (held !== undefined)
    makeChanges(release, held, { updatedAt: statement.updatedAt, records, files: files.all });
  return statement;
}

async function downloadChecksums(release: NewRelease): Promise<ListedFiles> {
  const bytes = await release.fetchUnlisted(CHECKSUMS_PATH);
  const sums = bytes && parseChecksums(Buffer.from(bytes).toString('utf8'));
  if (sums === undefined) {
    throw new IoFailed(`${release.sourceName} has no ${CHECKSUMS_PATH}: there is no registry to mirror`);
  }
  return listedFiles(sums);
}

/** SHA256SUMS is not signed, and may be of another publication than the statement. */
function assertSamePublication(
  { statement, checkpoint }: SummedStatements,
  checksums: Uint8Array,
  { all }: ListedFiles,
): void {
  const states = (wanted: string, expected: string) =>
    all.some(({ path, hash }) => path === wanted && hash === expected);
  if (!states(PATHS.list, statement.sha256) || !states(sumsPath(''), statement.sumsSha256)) {
    throw new TreeRejected(`${CHECKSUMS_PATH} and ${PATHS.publication} are not of the same publication`);
  }
  // A checkpoint for an older list says nothing about this tree.
  if (checkpoint?.sha256 === statement.sha256 && checkpoint.treeSha256 !== sha256(checksums)) {
    throw new TreeRejected(`${CHECKSUMS_PATH} does not have the hash that the checkpoint names`);
  }
}
