import { SumsInvalid } from '@passport-registry/verifier';
import { type PublicationStatement, readSums, sumsPath } from '@passport-registry/verifier/internal';
import { TreeRejected } from '../errors.js';
import { listBytes } from '../list/list.js';
import { PATHS } from '../tree/paths.js';
import type { NewRelease, StatedFile } from './new-release.js';

/**
 * Downloads the tree of sums from the root down, then the records, and makes the list from the records (SPEC C2). Only
 * files that differ from the release being served are downloaded.
 *
 * @param statement - the publication statement, which has been verified
 */
export async function downloadRecords(release: NewRelease, statement: PublicationStatement): Promise<void> {
  const { levels, sumsSha256, issuers } = statement;
  let files: StatedFile[] = [{ path: sumsPath(''), hash: sumsSha256, statedIn: PATHS.publication }];
  for (let level = 0; level <= levels; level++) {
    await release.addAll(files);
    files = files.flatMap(({ path }) => readBranch(release, path, levels));
  }
  if (files.length !== issuers) {
    throw new TreeRejected(
      `${PATHS.publication} names ${issuers} issuers, but the sums list ${files.length} records`,
    );
  }
  await release.addAll(files);
  if (release.isHeld(PATHS.list, statement.sha256)) return;
  makeList(
    release,
    files.map(({ path }) => path),
    statement,
  );
}

/** Returns the files that a sums file lists. Its hash has been checked. */
function readBranch(release: NewRelease, path: string, levels: number): StatedFile[] {
  const prefix = path === sumsPath('') ? '' : path.slice('sums/'.length);
  try {
    const sums = readSums(release.read(path), { prefix, levels });
    return [...sums].map(([listed, hash]) => ({ path: listed, hash, statedIn: path }));
  } catch (cause) {
    if (!(cause instanceof SumsInvalid)) throw cause;
    throw new TreeRejected(`${cause.code}, ${cause.message}`, { cause });
  }
}

/** Joins the records to the list. If the result is not the signed list, the list is downloaded later. */
function makeList(
  release: NewRelease,
  records: readonly string[],
  { updatedAt, sha256 }: PublicationStatement,
): void {
  // By code units, as the ids in a list.
  const sorted = new Map([...records].sort().map((path) => [path, release.read(path)]));
  release.addOwn(PATHS.list, listBytes(sorted, updatedAt).list, sha256);
}
