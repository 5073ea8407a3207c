import { mkdirSync, rmSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { formatStatementsFile, parseStatementsFile } from '@passport-registry/verifier/core';
import { IoFailed, TreeRejected } from '../../generator/errors.js';
import { parseChecksums } from '../../generator/tree/checksums.js';
import { isChecksummed, roleOf } from '../../generator/tree/files.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rejecting } from '../../generator/verification/seen-files.js';
import { sourceOf } from '../../generator/verification/tree-source.js';
import type { AuditedTree, Candidate } from './candidate.js';
import { addNewestList, addOlderLists } from './lists.js';
import { addLog } from './log-download.js';
import { NewRelease, type StatedFile, type TransferStats } from './new-release.js';
import { addRecords, downloadSums } from './records.js';

/** How many of the files in SHA256SUMS to request at a time. Only complete files count towards the limit of their size. */
const OTHER_CONCURRENCY = 4;
/** The maximum size of these files, in bytes. */
const MAX_OTHER_BYTES = 64 * 1024 * 1024;

/** The maximum number of these files. A publisher has about 40. */
const MAX_OTHER_FILES = 256;

/** How often to download a source that may have changed during the download. */
const MAX_ATTEMPTS = 3;
/** The pause between two attempts. A publication takes less time. */
const RETRY_DELAY_MS = 1000;

/** A tree that may be served. */
interface Downloaded extends AuditedTree {
  readonly stats: TransferStats;
  /** Whether the release being served is this tree, so that its folder was not filled. */
  readonly isHeld: boolean;
}

/**
 * Downloads a source and verifies everything. Tries again if the source may have changed meanwhile.
 *
 * @throws {@link TreeRejected} | {@link IoFailed}
 */
export async function downloadVerified(candidate: Candidate): Promise<Downloaded> {
  for (let attempt = 1; ; attempt++) {
    try {
      // Damage on this disk must not make every attempt fail.
      return await download(candidate, attempt < MAX_ATTEMPTS);
    } catch (error) {
      if (!(error instanceof TreeRejected)) throw error;
      if (attempt === MAX_ATTEMPTS) throw error;
    }
    await setTimeout(RETRY_DELAY_MS);
  }
}

/**
 * Downloads the files that differ from the release being served. The others are hard links to the files of that release. The
 * statements come first, and name all other files: by the tree of sums, by SHA256SUMS, or by the log. A file is written only
 * after its hash has been checked. The first wrong hash ends the download. Nobody sees the folder before the whole tree has
 * been audited.
 *
 * @param isReused - whether the statements of the log, which have no hash of their own, are taken from the release being served
 */
async function download(candidate: Candidate, isReused: boolean): Promise<Downloaded> {
  const { folder, held } = candidate;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const release = new NewRelease(sourceOf(candidate.source), folder, held);
  const statements = await addStatements(release);
  const { publication, checkpoint } = await candidate.acceptStatements(release.tree);
  const isHeld = held?.read(PATHS.statements)?.equals(statements) === true;
  const unchanged = isHeld ? await candidate.auditHeld() : undefined;
  if (unchanged !== undefined) return { ...unchanged, stats: release.stats(), isHeld };
  const records = await downloadSums(release, publication);
  await addNewestList(release, publication);
  const accepted = await candidate.acceptedHead();
  const log = { publication, accepted, isReused: isReused && !isHeld };
  const entries = publication.log === undefined ? [] : await addLog(release, log);
  const known = held === undefined ? 0 : (accepted?.size ?? 0);
  await addOlderLists(release, publication, { entries, known });
  await addRecords(release, records);
  await release.addAll([{ path: PATHS.checksums, hash: checkpoint.treeSha256, statedIn: PATHS.statements }]);
  const others = listedFiles(release.read(PATHS.checksums)).filter(({ path }) => !release.includes(path));
  await release.addAll(others, { concurrency: OTHER_CONCURRENCY, maxBytes: MAX_OTHER_BYTES });
  await release.fetchUnlisted(PATHS.signature);
  const audited = await candidate.audit(folder);
  return { ...audited, stats: release.stats(), isHeld: false };
}

/** Adds the statements. Members that this version does not know are left out, because nothing proves them. */
async function addStatements(release: NewRelease): Promise<Uint8Array> {
  const bytes = await release.fetch(PATHS.statements);
  if (bytes === undefined) {
    throw new IoFailed(`${release.sourceName} has no ${PATHS.statements}: there is no registry`);
  }
  const statements = formatStatementsFile(await rejecting(async () => parseStatementsFile(bytes)));
  release.addUnlisted(PATHS.statements, statements);
  return statements;
}

/**
 * Returns the files that SHA256SUMS lists: the page, schemas, changes and host configurations. There are limits, because an
 * online key can sign another SHA256SUMS.
 *
 * @throws {@link TreeRejected} if there are more files than a publisher has, or files that no publisher lists
 */
function listedFiles(checksums: Uint8Array): readonly StatedFile[] {
  const sums = parseChecksums(Buffer.from(checksums).toString('utf8'));
  if (sums === undefined) throw new TreeRejected(`${PATHS.checksums} is not in the format of coreutils`);
  const stray = [...sums.keys()].find((path) => !isChecksummed(path) || roleOf(path) === 'refused');
  if (stray !== undefined)
    throw new TreeRejected(`${PATHS.checksums} lists ${stray}, which it must not list`);
  if (sums.size > MAX_OTHER_FILES) {
    throw new TreeRejected(
      `${PATHS.checksums} lists ${sums.size} files, but a mirror downloads at most ${MAX_OTHER_FILES}`,
    );
  }
  return [...sums].map(([path, hash]) => ({ path, hash, statedIn: PATHS.checksums }));
}
