import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { type PublicationStatement, type SummedStatements, sumsPath } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { parseChecksums, sha256 } from '../../generator/tree/checksums.js';
import { PATHS } from '../../generator/tree/paths.js';
import { statementsFile } from '../../generator/tree/statements-file.js';
import { httpSource } from '../../generator/verification/tree-source.js';
import { unprovenFile } from '../../generator/verification/unknown-parts.js';
import type { TreeReport } from '../../generator/verification/verify.js';
import type { Candidate } from './candidate.js';
import { type ListedFiles, listedFiles, unprovenFiles } from './listed-files.js';
import { addLoggedLists, addNewestList, addOlderLists } from './lists.js';
import { downloadHead, downloadLog } from './log-download.js';
import { NewRelease, type TransferStats } from './new-release.js';
import { addRecords, downloadSums } from './records.js';
import { NAMING_FILES } from './releases.js';

/** How many of the other files to request at a time. Only files that are complete count towards the limit of their size. */
const OTHER_CONCURRENCY = 4;
/** The downloads among these files, in bytes. */
const MAX_OTHER_BYTES = 64 * 1024 * 1024;

/** How often to download a source that may have changed during the download. */
const MAX_ATTEMPTS = 3;
/** The pause between two attempts. A publication takes less time. */
const RETRY_DELAY_MS = 1000;

/** A candidate that may be served. */
interface Downloaded {
  readonly candidate: Candidate;
  readonly report: TreeReport;
  readonly stats: TransferStats;
}

/**
 * Downloads a source and verifies everything. Tries again if the source may have changed meanwhile.
 *
 * @param begin - returns a candidate of which nothing has been downloaded
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function downloadVerified(begin: () => Candidate): Promise<Downloaded> {
  for (let attempt = 1; ; attempt++) {
    const candidate = begin();
    try {
      const stats = await download(candidate);
      return { candidate, stats, report: await candidate.verified() };
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
      if (attempt === MAX_ATTEMPTS) throw notAccepted(candidate, error);
    }
    await setTimeout(RETRY_DELAY_MS);
  }
}

function notAccepted({ options: { source } }: Candidate, failure: TreeRejected): TreeRejected {
  return new TreeRejected(
    `${source} was not accepted: ${failure.message.slice(0, 500)}. If the next run fails too, tell the operator of the registry`,
  );
}

/**
 * Downloads what differs from the release being served; other files are hard links to those of that release. Writes a listed
 * file only after its hash has been checked. The first wrong hash ends the download.
 */
async function download(candidate: Candidate): Promise<TransferStats> {
  const { folder, held, heldLog, options } = candidate;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const release = new NewRelease(httpSource(options.source), candidate);
  const files = await downloadChecksums(release);
  await release.addAll(files.statements);
  // After the files that it names. If a publication happened in between, the checkpoint is for another tree.
  await release.fetchUnlisted(PATHS.checkpoint);
  const isStated = files.all.some(({ path }) => path === PATHS.publication);
  // Before the statements are accepted: the proof of the publication statement is a part of the log.
  const head = isStated ? await downloadHead(release, candidate) : undefined;
  if (release.hasSameAsHeld(NAMING_FILES) && (await candidate.acceptHeld())) return release.stats();
  const log = head && (await downloadLog(release, head, candidate));
  const statement = isStated ? await acceptStatement(release, files, candidate) : undefined;
  const records = statement === undefined ? files.records : await downloadSums(release, statement);
  // Before the same list under its other name: the release being served has it if its publication was only in the log there.
  await addNewestList(release, files.list.hash);
  await release.addAll([files.list]);
  if (log !== undefined && statement !== undefined)
    await addLoggedLists(release, { log, statement: statement.text }, heldLog);
  else addOlderLists(release, files.list.hash);
  await candidate.acceptLog((path) => release.isVerified(path));
  const publication = await candidate.acceptPublication();
  await addRecords(release, records);
  const unproven = unprovenFiles(
    files.all.map(({ path, hash }) => [path, hash]),
    { publication, checksums: release.read(PATHS.checksums), held },
  );
  candidate.leftOut = unproven.map(unprovenFile);
  const others = files.others.filter(({ path }) => !unproven.includes(path));
  await release.addAll(others, { concurrency: OTHER_CONCURRENCY, maxBytes: MAX_OTHER_BYTES });
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

/** Applies the rules of a verifier to the statements, before anything is downloaded that they name. */
async function acceptStatement(
  release: NewRelease,
  files: ListedFiles,
  candidate: Candidate,
): Promise<PublicationStatement> {
  const statements = await candidate.acceptStatements();
  assertSamePublication(statements, release.read(PATHS.checksums), files);
  return statements.publication;
}

async function downloadChecksums(release: NewRelease): Promise<ListedFiles> {
  const bytes = await release.fetchUnlisted(PATHS.checksums);
  const sums = bytes && parseChecksums(Buffer.from(bytes).toString('utf8'));
  if (sums === undefined) {
    throw new IoFailed(`${release.sourceName} has no ${PATHS.checksums}: there is no registry to mirror`);
  }
  return listedFiles(sums);
}

/** SHA256SUMS is not signed, and may be of another publication than the statement. */
function assertSamePublication(
  { publication, checkpoint }: SummedStatements,
  checksums: Uint8Array,
  { all }: ListedFiles,
): void {
  const states = (wanted: string, expected: string) =>
    all.some(({ path, hash }) => path === wanted && hash === expected);
  if (!states(PATHS.list, publication.sha256) || !states(sumsPath(''), publication.sumsSha256)) {
    throw new TreeRejected(`${PATHS.checksums} and ${PATHS.publication} are not of the same publication`);
  }
  // A checkpoint for an older list says nothing about this tree.
  if (checkpoint?.sha256 === publication.sha256 && checkpoint.treeSha256 !== sha256(checksums)) {
    throw new TreeRejected(`${PATHS.checksums} does not have the hash that the checkpoint names`);
  }
}
