import {
  hasCode,
  type PublicationStatement,
  prefixOf,
  readList,
  readSums,
  recordIdOf,
  sumsPath,
} from '@passport-registry/verifier/core';
import { TreeRejected } from '../../generator/errors.js';
import { recordsBytes } from '../../generator/list/list.js';
import { PATHS } from '../../generator/tree/paths.js';
import { rejecting } from '../../generator/verification/seen-files.js';
import type { NewRelease, StatedFile } from './new-release.js';

/**
 * Downloads the tree of sums, from the root down. Only files that differ from the release being served are downloaded.
 *
 * @param statement - the publication statement, which has been verified
 * @returns the records that the sums list
 */
export async function downloadSums(
  release: NewRelease,
  { levels, sumsSha256, issuers }: PublicationStatement,
): Promise<readonly StatedFile[]> {
  let files: StatedFile[] = [{ path: sumsPath(''), hash: sumsSha256, statedIn: PATHS.statements }];
  for (let level = 0; level <= levels; level++) {
    await release.addAll(files);
    files = files.flatMap(({ path }) => readBranch(release, path, levels));
    // There is a record below each sums file, so that the number of downloads has a limit.
    if (files.length > issuers || (level === levels && files.length < issuers)) {
      throw new TreeRejected(
        `the publication statement names ${issuers} issuers, but the sums list ${files.length} files or records`,
      );
    }
  }
  return files;
}

/** Returns the files that a sums file lists. Its hash has been checked. */
function readBranch(release: NewRelease, path: string, levels: number): StatedFile[] {
  const prefix = path === sumsPath('') ? '' : prefixOf(path);
  try {
    const sums = readSums(release.read(path), { prefix, levels });
    return [...sums].map(([listed, hash]) => ({ path: listed, hash, statedIn: path }));
  } catch (cause) {
    if (!hasCode(cause, 'ERR_SUMS_INVALID')) throw cause;
    throw new TreeRejected(`${cause.code}, ${cause.message}`, { cause });
  }
}

/**
 * Adds the records of the list in the folder: hard links to records of the release being served, or the entries of
 * the list. No record is downloaded.
 */
export async function addRecords(release: NewRelease, records: readonly StatedFile[]): Promise<void> {
  const missing = records.filter(({ path, hash }) => !release.isHeld(path, hash));
  if (missing.length > 0) {
    const { issuers } = await rejecting(async () => readList(release.read(PATHS.list)));
    const entries = recordsBytes(issuers);
    for (const { path, hash } of missing) {
      const bytes = entries.get(recordIdOf(path));
      if (bytes === undefined || !release.addOwn(path, bytes, hash))
        throw new TreeRejected(`${path} is not its entry in the list`);
    }
  }
  await release.addAll(records);
}
