import { spawnSync } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { LIMITS, type Proven, type Publication } from '@passport-registry/verifier/core';
import { IoFailed } from '../../generator/errors.js';
import { readTreeFile } from '../../generator/files/read-file.js';
import { filesBelow } from '../../generator/files/walk.js';
import { parseChecksums } from '../../generator/tree/checksums.js';
import { roleOf } from '../../generator/tree/files.js';
import { PAGES_FOLDER, PATHS } from '../../generator/tree/paths.js';
import { statementsFile } from '../../generator/tree/statements-file.js';
import { type Note, unlistedFile, unprovenFile } from '../../generator/verification/unknown-parts.js';
import type { Candidate } from './candidate.js';
import type { HeldRelease } from './held-release.js';
import { unprovenFiles } from './listed-files.js';
import type { TransferStats } from './new-release.js';

/**
 * The exit status of rsync if files vanished during the transfer. The verification decides whether the tree is
 * complete.
 */
const FILES_VANISHED_STATUS = 24;

/** Downloads a tree with rsync, which reads and compares every file. @throws {@link IoFailed} with the message of rsync */
export async function downloadByRsync(candidate: Candidate): Promise<TransferStats> {
  const { folder, held, heldLog } = candidate;
  const { source, env } = candidate.options;
  const options = [
    // Compare by checksum: two publications within one second can have files of the same size and time. A file that was
    // damaged on this disk is also sent again.
    ...['--recursive', '--times', '--checksum', '--chmod=D755,F644', '--stats', '--timeout=60'],
    `--max-size=${LIMITS.list}`,
    // What a source has cosigned is not served under the name of another mirror.
    '--exclude=/witness/',
    '--prune-empty-dirs',
    ...(held === undefined ? [] : [`--link-dest=${resolve(held.folder)}`]),
  ];
  const from = source.endsWith('/') ? source : `${source}/`;
  const { status, stdout, stderr, error } = spawnSync('rsync', [...options, '--', from, `${folder}/`], {
    env,
    encoding: 'utf8',
    maxBuffer: 64 * 1024 * 1024,
  });
  if (error !== undefined) throw new IoFailed(`rsync cannot be started: ${error.message}`, { cause: error });
  if (status !== 0 && status !== FILES_VANISHED_STATUS)
    throw new IoFailed(`rsync failed with status ${status}: ${stderr.trim()}`);
  // Files that have not changed are hard links to those of the release being served.
  await candidate.acceptLog((path) => heldLog !== undefined && held?.isLinked(path, folder) === true);
  const publication = await candidate.acceptPublication();
  candidate.leftOut = removeUnproven(folder, publication, held);
  replaceStatementsFile(folder);
  const number = (label: string) =>
    Number((new RegExp(`${label}: ([\\d,.]+)`).exec(stdout)?.[1] ?? '0').replaceAll(/[,.]/g, ''));
  return {
    fetched: number('Number of regular files transferred'),
    bytes: number('Total bytes received') + number('Total bytes sent'),
  };
}

/** Replaces `statements.json`, if the source has such a file, by one that is made of the verified files. */
function replaceStatementsFile(folder: string): void {
  const file = join(folder, PATHS.statements);
  if (!existsSync(file)) return;
  const made = statementsFile((path) => readTreeFile(folder, path));
  // Not written in place: the file may be a hard link to the one of the release being served.
  rmSync(file, { recursive: true });
  if (made !== undefined) writeFileSync(file, made);
}

/** Removes the files that `verify` passes, but that nothing proves: a mirror must not serve them. Returns notes about them. */
function removeUnproven(
  folder: string,
  publication: Proven<Publication>,
  held: HeldRelease | undefined,
): Note[] {
  const checksums = readTreeFile(folder, PATHS.checksums) ?? Buffer.alloc(0);
  const sums = parseChecksums(checksums.toString('utf8')) ?? new Map<string, string>();
  const unlisted = filesBelow(folder).filter((path) => roleOf(path) === 'added' && !sums.has(path));
  const pages = parseChecksums(readTreeFile(folder, PATHS.pageSums)?.toString('utf8') ?? '') ?? [];
  const unproven = unprovenFiles([...sums, ...pages], { publication, checksums, held });
  // A host may read this file for its folder, and `verify` passes the pages of issuers only with it.
  const removed = unproven.includes(PATHS.pagesHtaccess) ? [PAGES_FOLDER, PATHS.sitemap] : [];
  for (const path of [...unlisted, ...unproven, ...removed])
    rmSync(join(folder, path), { recursive: true, force: true });
  return [...unlisted.map(unlistedFile), ...unproven.map(unprovenFile)];
}
